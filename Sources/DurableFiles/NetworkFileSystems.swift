/// The file systems on which a flock(2) on a directory may be kept from other machines: the kernel locks NFS directories
/// locally, and what the others do depends on their servers and mount options.
enum NetworkFileSystems {
    /// Magic numbers, from linux/magic.h and statfs(2).
    private static let magic: Set<Int> = [
        0x6969,  // NFS
        0x517b,  // SMB
        0xff53_4d42,  // CIFS
        0xfe53_4d42,  // SMB2 and later
        0x564c,  // NCP
        0x5346_414f,  // AFS
        0x6b41_4653,  // kAFS
        0x7375_7245,  // Coda
        0x00c3_6400,  // Ceph
        0x0102_1997,  // 9P
        0x6573_5546,  // FUSE: sshfs and many more
        0x0bd0_0bd0,  // Lustre
        0x4750_4653,  // GPFS
        0x0116_1970,  // GFS2
        0x7461_636f,  // OCFS2
        0x1983_0326,  // BeeGFS
    ]

    static func include(_ type: Int?) -> Bool { type.map(magic.contains) ?? false }
}
