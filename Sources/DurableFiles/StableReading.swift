import SystemCalls

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A regular file that is held open, and what it held at one moment.
struct OpenFile: ~Copyable {
    let descriptor: FileDescriptor
    let status: FileStatus
    let bytes: [UInt8]
}

extension LockedFile {
    private static var mostAttempts: Int { 10 }

    /// Opens and reads an entry of the directory, nil if there is none.
    ///
    /// Programs that write in place take no lock. What was read counts only if size and times were the same before and
    /// after and the name still leads to that file.
    func open(_ name: String) throws -> OpenFile? {
        let path = place.path(of: name)
        do {
            for attempt in 0..<Self.mostAttempts {
                // 0.25 ms, 0.5 ms and so on, a quarter of a second in all.
                if attempt > 0 { usleep(125 << UInt32(attempt)) }
                let descriptor: FileDescriptor
                do {
                    descriptor = try calls.open(
                        name, in: directory.number, flags: O_RDONLY | O_NONBLOCK | O_NOFOLLOW, path: path)
                } catch {
                    if error.code == ENOENT { return nil }
                    // A link by now. If it stays one it was put there after the lock was taken.
                    if error.code == ELOOP && attempt + 1 < Self.mostAttempts { continue }
                    throw error
                }
                let status = try calls.status(of: descriptor.number, path: path)
                guard status.isRegularFile else { throw DurableFileError(.notAFile, file, "not a regular file") }
                let bytes = try content(of: descriptor.number, size: status.size, path: path)
                guard
                    bytes.count == status.size,
                    try calls.status(of: descriptor.number, path: path) == status,
                    try calls.status(of: name, in: directory.number, path: path)?.identity == status.identity
                else { continue }
                return OpenFile(descriptor: descriptor, status: status, bytes: bytes)
            }
        } catch let error as SystemError {
            throw DurableFileError(error, file)
        }
        throw DurableFileError(.contended, file, "it changed during each of \(Self.mostAttempts) attempts to read it")
    }

    /// Reads to the end, or throws `tooLarge`.
    func content(of descriptor: CInt, size: Int, path: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(size, options.maximumSize) + 1)
        while true {
            if size > options.maximumSize || bytes.count > options.maximumSize {
                throw DurableFileError(.tooLarge, file, "larger than \(options.maximumSize) bytes")
            }
            // One more than expected, so that the end is seen without another call where the size was right.
            let wanted = max(min(size - bytes.count, 1 << 20), 0) + 1
            let got = try calls.read(wanted, appendingTo: &bytes, from: descriptor, path: path)
            if got == 0 { return bytes }
        }
    }
}
