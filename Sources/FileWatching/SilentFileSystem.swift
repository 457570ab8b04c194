#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif
#if os(Linux)
    import LinuxCalls
#endif

/// File systems that grant a watch and then keep silent about changes made by another machine, or below them.
enum SilentFileSystem {
    /// The magic numbers of `statfs(2)`: NFS, CIFS, SMB2, FUSE, 9p, overlayfs, Ceph.
    private static let magics: Set<UInt32> = [
        0x6969, 0xff53_4d42, 0xfe53_4d42, 0x6573_5546, 0x0102_1997, 0x794c_7630, 0x00c3_6400,
    ]

    /// The magic number of the file system that holds `path` when it is one of these.
    static func magic(at path: PathBytes) -> UInt32? {
        #if os(Linux)
            var status = statfs()
            guard path.withPointer({ linux_statfs($0, &status) }) == 0 else { return nil }
            let magic = UInt32(truncatingIfNeeded: status.f_type)
            return magics.contains(magic) ? magic : nil
        #else
            return nil
        #endif
    }
}
