import SystemCalls

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// All that `stat` tells about the content of a file, compared for equality only.
///
/// Neither inode number (reused at once by ext4) nor size and modification time (both can be restored) are enough
/// alone; the change time cannot be set.
struct FileSignature: Hashable, Sendable {
    let identity: FileIdentity
    let mode: UInt32
    let size: Int
    let linkCount: UInt64
    private let modified: [Int]
    private let changed: [Int]

    init(_ status: stat) {
        identity = FileIdentity(device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(status.st_ino))
        mode = UInt32(status.st_mode)
        size = Int(status.st_size)
        linkCount = UInt64(status.st_nlink)
        #if canImport(Darwin)
            modified = [status.st_mtimespec.tv_sec, status.st_mtimespec.tv_nsec]
            changed = [status.st_ctimespec.tv_sec, status.st_ctimespec.tv_nsec]
        #else
            modified = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
            changed = [status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
        #endif
    }

    /// The signature of what `path` leads to, links followed.
    init(at path: PathBytes) throws(SystemError) {
        var status = stat()
        guard path.withPointer({ stat($0, &status) }) == 0 else { throw .last("stat", path.text) }
        self.init(status)
    }

    /// The signature of the entry `path` itself, links not followed.
    init(ofEntry path: PathBytes) throws(SystemError) {
        var status = stat()
        guard path.withPointer({ lstat($0, &status) }) == 0 else { throw .last("lstat", path.text) }
        self.init(status)
    }

    /// The signature of the open file `descriptor`.
    init(of descriptor: borrowing FileDescriptor, path: PathBytes) throws(SystemError) {
        var status = stat()
        guard fstat(descriptor.number, &status) == 0 else { throw .last("fstat", path.text) }
        self.init(status)
    }

    var isRegular: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFREG) }
    var isDirectory: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFDIR) }
    var isLink: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFLNK) }

    var kind: FileKind {
        switch mode & UInt32(S_IFMT) {
        case UInt32(S_IFDIR): .directory
        case UInt32(S_IFIFO): .fifo
        case UInt32(S_IFSOCK): .socket
        case UInt32(S_IFCHR): .characterDevice
        case UInt32(S_IFBLK): .blockDevice
        default: .other
        }
    }
}

/// Which file it is; never proof that it is unchanged, since inode numbers come back.
struct FileIdentity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
}
