import SystemCalls

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension SystemError {
    static let missingEntry = ENOENT
    var isMissingEntry: Bool { code == Self.missingEntry }
    var isExistingEntry: Bool { code == EEXIST }
    /// Whether the process may not change this, or nobody may.
    var isRefusal: Bool { [EACCES, EPERM, EROFS].contains(code) }

    /// Whether the call is one that this kernel or file system does not have.
    var isNotOffered: Bool { [EINVAL, ENOSYS, ENOTSUP, EOPNOTSUPP].contains(code) }
}

extension LockedFile {
    func rename(_ name: String, to other: String) throws(SystemError) {
        try calls.rename(
            name, to: other, in: directory.number, path: place.path(of: name), otherPath: place.path(of: other))
    }

    /// Gives an entry another name if that is free, or throws EEXIST.
    func renameWithoutReplacing(_ name: String, to other: String) throws(SystemError) {
        let path = place.path(of: name)
        let otherPath = place.path(of: other)
        do {
            return try calls.renameWithoutReplacing(
                name, to: other, in: directory.number, path: path, otherPath: otherPath)
        } catch {
            guard error.isNotOffered else { throw error }
        }
        do {
            try calls.link(name, to: other, in: directory.number, path: path, otherPath: otherPath)
            removeQuietly(name)
            return
        } catch {
            guard error.isNotOffered || error.code == EPERM else { throw error }
        }
        // A file system without either, such as FAT below an old kernel: a look and a hope.
        if try calls.status(of: other, in: directory.number, path: otherPath) != nil {
            throw SystemError(call: "renameat", path: otherPath, code: EEXIST)
        }
        try rename(name, to: other)
    }
}
