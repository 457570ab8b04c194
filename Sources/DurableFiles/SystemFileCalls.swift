import LinuxCalls
import SystemCalls

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

// The C calls of this module, all of them, each behind the observer and repeated after EINTR. Strings and buffers that
// are passed to C live for the length of the call and C keeps none of them; `errno` is read before anything else runs.
extension FileCalls {
    /// Makes a call, or does what the observer says; `body` gets the largest count of bytes allowed.
    @discardableResult
    private func perform(_ call: FileCall, _ body: (_ limit: Int) -> Int) throws(SystemError) -> Int {
        while true {
            var result = -1
            var code: CInt
            switch before?(call) ?? .proceed {
            case .proceed:
                result = body(.max)
                code = errno
            case .limit(let limit):
                result = body(limit)
                code = errno
            case .pretend(let wanted):
                result = wanted
                code = 0
            case .fail(let wanted): code = wanted
            }
            if result >= 0 {
                after?(call, result)
                return result
            }
            if code != EINTR { throw SystemError(call: call.name.rawValue, path: call.path, code: code) }
        }
    }

    /// Opens `name` in `directory`, close-on-exec and never as the controlling terminal.
    func open(
        _ name: String, in directory: CInt, flags: CInt, mode: mode_t = 0, path: String
    ) throws(SystemError) -> FileDescriptor {
        let number = try perform(FileCall(name: .open, path: path, flags: flags)) { _ in
            Int(openat(directory, name, flags | O_CLOEXEC | O_NOCTTY, mode))
        }
        return FileDescriptor(owning: CInt(number))
    }

    /// Reads up to `count` of the bytes after `bytes` and appends them; gives how many came, 0 at the end.
    func read(_ count: Int, appendingTo bytes: inout [UInt8], from descriptor: CInt, path: String) throws(SystemError)
        -> Int
    {
        let offset = off_t(bytes.count)
        var failure: SystemError?
        var got = 0
        let chunk = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            do throws(SystemError) {
                got = try perform(FileCall(name: .pread, path: path)) { limit in
                    pread(descriptor, buffer.baseAddress, min(limit, buffer.count), offset)
                }
            } catch { failure = error }
            filled = got
        }
        if let failure { throw failure }
        bytes += chunk
        return got
    }

    /// Writes all of `bytes` from `offset` on, however little the system takes at a time.
    func write(_ bytes: [UInt8], at offset: Int = 0, to descriptor: CInt, path: String) throws(SystemError) {
        var done = 0
        while done < bytes.count {
            let rest = isObserved ? Array(bytes[done...]) : []
            let call = FileCall(name: .pwrite, path: path, bytes: rest, offset: offset + done)
            let written = try perform(call) { limit in
                bytes.withUnsafeBytes { buffer in
                    pwrite(
                        descriptor, buffer.baseAddress.map { $0 + done }, min(limit, buffer.count - done),
                        off_t(offset + done))
                }
            }
            // Not to be expected of a regular file; without this it would be an endless loop.
            if written == 0 { throw SystemError(call: "pwrite", path: path, code: EIO) }
            done += written
        }
    }

    /// Makes what was written durable (for a directory: its names).
    func sync(_ descriptor: CInt, path: String) throws(SystemError) {
        try perform(FileCall(name: .fsync, path: path)) { _ in Int(fsync(descriptor)) }
    }

    /// Makes the names in a directory durable. A file system that cannot sync a directory has no more to offer.
    func syncDirectory(_ descriptor: CInt, path: String) throws(SystemError) {
        do {
            try sync(descriptor, path: path)
        } catch {
            if error.code != EINVAL && error.code != ENOTSUP { throw error }
        }
    }

    func setLength(_ length: Int, of descriptor: CInt, path: String) throws(SystemError) {
        try perform(FileCall(name: .ftruncate, path: path, offset: length)) { _ in
            Int(ftruncate(descriptor, off_t(length)))
        }
    }

    /// Reserves the blocks of a range without changing the size. ENOTSUP where the file system cannot.
    func reserve(_ length: Int, at offset: Int, in descriptor: CInt, path: String) throws(SystemError) {
        try perform(FileCall(name: .fallocate, path: path)) { _ in
            Int(linux_fallocate_keep_size(descriptor, off_t(offset), off_t(length)))
        }
    }

    func status(of descriptor: CInt, path: String) throws(SystemError) -> FileStatus {
        var status = stat()
        try perform(FileCall(name: .fstat, path: path)) { _ in Int(fstat(descriptor, &status)) }
        return FileStatus(status)
    }

    /// The status of `name` itself (not of what a symbolic link leads to), nil if there is no such name.
    func status(of name: String, in directory: CInt, follow: Bool = false, path: String) throws(SystemError)
        -> FileStatus?
    {
        var status = stat()
        do {
            try perform(FileCall(name: .fstatat, path: path)) { _ in
                Int(fstatat(directory, name, &status, follow ? 0 : AT_SYMLINK_NOFOLLOW))
            }
        } catch {
            if error.code == ENOENT { return nil }
            throw error
        }
        return FileStatus(status)
    }

    /// The magic number of the file system a descriptor lies on, nil where the system does not tell.
    func fileSystemType(of descriptor: CInt, path: String) -> Int? {
        try? perform(FileCall(name: .fstatfs, path: path)) { _ in Int(linux_file_system_type(descriptor)) }
    }

    /// Whether something is mounted on `name` itself; false where the system does not tell.
    func isMountRoot(_ name: String, in directory: CInt, path: String) -> Bool {
        let answer = try? perform(FileCall(name: .statx, path: path)) { _ in Int(linux_is_mount_root(directory, name)) }
        return answer == 1
    }

    /// Whether some process has the file open for writing, nil where that is not to be known: only its owner may ask, and
    /// not every file system answers. The descriptor must be open for reading alone.
    ///
    /// Asked by taking a read lease for a moment. Who opens the file for writing in that moment waits for its end, and
    /// the signal that tells us of it is one that is ignored by default.
    func hasWriter(_ descriptor: CInt, path: String) -> Bool? {
        guard linux_set_lease_signal(descriptor, SIGURG) == 0 else { return nil }
        do throws(SystemError) {
            try perform(FileCall(name: .lease, path: path)) { _ in Int(linux_take_read_lease(descriptor)) }
            _ = linux_drop_lease(descriptor)
            return false
        } catch {
            return error.code == EAGAIN ? true : nil
        }
    }

    func setMode(_ mode: mode_t, of descriptor: CInt, path: String) throws(SystemError) {
        try perform(FileCall(name: .fchmod, path: path)) { _ in Int(fchmod(descriptor, mode)) }
    }

    func setOwner(_ owner: uid_t, group: gid_t, of descriptor: CInt, path: String) throws(SystemError) {
        try perform(FileCall(name: .fchown, path: path)) { _ in Int(fchown(descriptor, owner, group)) }
    }

    /// The names of the extended attributes, each ended by a zero byte.
    func attributeNames(of descriptor: CInt, path: String) throws(SystemError) -> [UInt8] {
        try sized(FileCall(name: .flistxattr, path: path)) { linux_flistxattr(descriptor, $0, $1) }
    }

    /// The value of the extended attribute of that (zero-ended) name.
    func attribute(_ name: [UInt8], of descriptor: CInt, path: String) throws(SystemError) -> [UInt8] {
        try sized(FileCall(name: .fgetxattr, path: path)) { buffer, size in
            name.withUnsafeBytes { name in
                linux_fgetxattr(descriptor, name.baseAddress?.assumingMemoryBound(to: CChar.self), buffer, size)
            }
        }
    }

    func setAttribute(_ name: [UInt8], to value: [UInt8], of descriptor: CInt, path: String) throws(SystemError) {
        try perform(FileCall(name: .fsetxattr, path: path)) { _ in
            name.withUnsafeBytes { name in
                Int(
                    linux_fsetxattr(
                        descriptor, name.baseAddress?.assumingMemoryBound(to: CChar.self), value, value.count))
            }
        }
    }

    /// A value whose size has to be asked first, and may grow before it is fetched.
    private func sized(
        _ call: FileCall, _ body: (UnsafeMutablePointer<CChar>?, Int) -> Int
    ) throws(SystemError) -> [UInt8] {
        while true {
            let size = try perform(call) { _ in body(nil, 0) }
            if size == 0 { return [] }
            var value = [CChar](repeating: 0, count: size)
            do {
                let count = try perform(call) { _ in value.withUnsafeMutableBufferPointer { body($0.baseAddress, size) }
                }
                return value.prefix(count).map(UInt8.init(bitPattern:))
            } catch {
                if error.code != ERANGE { throw error }
            }
        }
    }

    /// What the symbolic link `name` says, nil if it is no link or not there.
    func destination(ofLink name: String, in directory: CInt, path: String) throws(SystemError) -> String? {
        var size = 256
        while true {
            var bytes = [CChar](repeating: 0, count: size)
            let count: Int
            do throws(SystemError) {
                count = try perform(FileCall(name: .readlink, path: path)) { _ in
                    readlinkat(directory, name, &bytes, size)
                }
            } catch {
                if error.code == EINVAL || error.code == ENOENT { return nil }
                throw error
            }
            if count < size {
                guard let text = String(validating: bytes.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
                else {
                    throw SystemError(call: "readlinkat", path: path, code: EILSEQ)
                }
                return text
            }
            size *= 4
        }
    }

    /// The names in a directory that `isWanted` accepts, as bytes. Takes a descriptor of its own.
    func names(
        in directory: CInt, path: String, where isWanted: (UnsafeRawBufferPointer) -> Bool
    ) throws(SystemError) -> [String] {
        let number = try open(".", in: directory, flags: O_RDONLY | O_DIRECTORY, path: path).relinquish()
        guard let stream = fdopendir(number) else {
            let failure = SystemError.last("fdopendir", path)
            close(number)
            throw failure
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            var name: String?
            let more = try perform(FileCall(name: .readdir, path: path)) { _ in
                errno = 0
                guard let entry = readdir(stream) else { return errno == 0 ? 0 : -1 }
                // The record is the library's until the next call, and its name ends with a zero byte.
                withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: 1) { characters in
                        let bytes = UnsafeRawBufferPointer(start: characters, count: strlen(characters))
                        if isWanted(bytes) { name = String(validating: bytes, as: UTF8.self) }
                    }
                }
                return 1
            }
            if let name { names.append(name) }
            if more == 0 { return names }
        }
    }

    func makeDirectory(_ name: String, in directory: CInt, mode: mode_t, path: String) throws(SystemError) {
        try perform(FileCall(name: .mkdir, path: path)) { _ in Int(mkdirat(directory, name, mode)) }
    }

    /// flock(2). With `LOCK_EX` alone it blocks until the lock is there.
    func lock(_ descriptor: CInt, _ operation: CInt, path: String) throws(SystemError) {
        try perform(FileCall(name: .flock, path: path, flags: operation)) { _ in Int(flock(descriptor, operation)) }
    }

    /// The two names change their files, in one step. EINVAL or ENOSYS where this is not offered.
    func exchange(_ name: String, with other: String, in directory: CInt, path: String, otherPath: String)
        throws(SystemError)
    {
        try perform(FileCall(name: .exchange, path: path, other: otherPath)) { _ in
            Int(linux_rename_exchange(directory, name, directory, other))
        }
    }

    /// Renames, or throws EEXIST if `other` is there. EINVAL or ENOSYS where this is not offered.
    func renameWithoutReplacing(_ name: String, to other: String, in directory: CInt, path: String, otherPath: String)
        throws(SystemError)
    {
        try perform(FileCall(name: .renameNoReplace, path: path, other: otherPath)) { _ in
            Int(linux_rename_no_replace(directory, name, directory, other))
        }
    }

    /// Renames, over `other` if it is there.
    func rename(_ name: String, to other: String, in directory: CInt, path: String, otherPath: String)
        throws(SystemError)
    {
        try perform(FileCall(name: .rename, path: path, other: otherPath)) { _ in
            Int(renameat(directory, name, directory, other))
        }
    }

    /// Gives the file a second name, or throws EEXIST.
    func link(_ name: String, to other: String, in directory: CInt, path: String, otherPath: String)
        throws(SystemError)
    {
        try perform(FileCall(name: .link, path: path, other: otherPath)) { _ in
            Int(linkat(directory, name, directory, other, 0))
        }
    }

    func remove(_ name: String, in directory: CInt, path: String) throws(SystemError) {
        try perform(FileCall(name: .unlink, path: path)) { _ in Int(unlinkat(directory, name, 0)) }
    }
}
