package import SystemCalls

/// Why a file could not be locked, read or replaced.
///
/// Whatever the code, the file holds what it held before, no temporary file is left and the next attempt may work. The
/// exceptions are said at ``LockedFile/replace(expecting:with:merge:)``.
package struct DurableFileError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure, to catch by: `catch let error as DurableFileError where error.code == .noSpace`.
    package enum Code: Hashable, Sendable {
        /// The lock was not to be had in the time allowed: another process or store holds it.
        case lockTimedOut
        /// The path leads to something that is not a regular file, or can never be a file's path.
        case notAFile
        /// The file, or the new content, is larger than the options allow.
        case tooLarge
        /// The file system is mounted read-only (EROFS).
        case readOnly
        /// The disk is full or the quota is used up (ENOSPC, EDQUOT).
        case noSpace
        /// The process may not do this (EACCES, EPERM).
        case permission
        /// Another program kept changing the file during each of the attempts.
        case contended
        /// Another program's text came in between and `merge` refused it; ``DurableFileError/underlying`` is its error.
        case mergeRefused
        /// Any other failure of a system call.
        case io
    }

    package let code: Code
    /// The file it is about, as the caller named it.
    package let file: String
    /// The system call that failed, its path and its `errno`, if one did.
    package let cause: SystemError?
    /// What `merge` threw, if the code is `mergeRefused`.
    package let underlying: (any Error)?
    /// What happened, in words, if no system call tells.
    package let detail: String

    init(
        _ code: Code, _ file: String, _ detail: String = "", cause: SystemError? = nil, underlying: (any Error)? = nil
    ) {
        self.code = code
        self.file = file
        self.detail = detail
        self.cause = cause
        self.underlying = underlying
    }

    /// The error that a failed system call means for `file`.
    init(_ cause: SystemError, _ file: String) {
        self.init(Code(errno: cause.code), file, cause: cause)
    }

    package var description: String {
        var parts = [file]
        if !detail.isEmpty { parts.append(detail) }
        if let cause {
            // The path of the call is said only where it is another one, such as that of the temporary file.
            parts.append(
                cause.path == file ? String(cause.description.dropFirst(file.count + 2)) : cause.description)
        }
        if let underlying { parts.append("\(underlying)") }
        return parts.joined(separator: ": ")
    }
}
