/// One system call of the protocol, as an observer sees it.
package struct FileCall: Hashable, Sendable {
    /// The calls there are, by the names of their manual pages.
    package enum Name: String, CaseIterable, Sendable {
        case open = "openat"
        case pread
        case pwrite
        case fsync
        case ftruncate
        case fallocate
        case fstat
        case fstatat
        case fstatfs
        case statx
        case lease = "fcntl(F_SETLEASE)"
        case fchmod
        case fchown
        case flistxattr
        case fgetxattr
        case fsetxattr
        case readlink = "readlinkat"
        case readdir
        case mkdir = "mkdirat"
        case flock
        case exchange = "renameat2(RENAME_EXCHANGE)"
        case renameNoReplace = "renameat2(RENAME_NOREPLACE)"
        case rename = "renameat"
        case link = "linkat"
        case unlink = "unlinkat"
    }

    package let name: Name
    /// The file the call is about. For the renaming calls and `linkat` the old name.
    package let path: String
    /// The new name, for the renaming calls and `linkat`.
    package var other: String?
    /// `open`: its flags.
    package var flags: CInt = 0
    /// `pwrite`: what is to be written, only when somebody observes. `ftruncate`: nothing.
    package var bytes: [UInt8] = []
    /// `pwrite`: the offset. `ftruncate`: the new length.
    package var offset = 0
}

/// The way to the system that every call of the protocol takes, so that a test can watch it, make it fail, write less
/// than asked for, or let another program act just before it.
package struct FileCalls: Sendable {
    /// What is to be done with a call.
    package enum Verdict: Sendable {
        /// It is made.
        case proceed
        /// It is not made and seems to have failed with this `errno`.
        case fail(CInt)
        /// It is not made and seems to have worked with this result.
        case pretend(Int)
        /// It is made, for at most this many bytes (`pread` and `pwrite`).
        case limit(Int)
    }

    /// Asked before each call (again after EINTR), on the thread that makes it.
    package var before: (@Sendable (FileCall) -> Verdict)?
    /// Told after each call that worked, with its result.
    package var after: (@Sendable (FileCall, Int) -> Void)?

    package init(
        before: (@Sendable (FileCall) -> Verdict)? = nil, after: (@Sendable (FileCall, Int) -> Void)? = nil
    ) {
        self.before = before
        self.after = after
    }

    /// The system as it is.
    package static let system = FileCalls()

    /// Whether somebody looks, so that arguments are worth copying.
    var isObserved: Bool { before != nil || after != nil }
}
