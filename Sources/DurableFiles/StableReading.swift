import SystemCalls

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file that stays open while a replacement needs it. A class, since several steps share it.
final class HeldFile: Sendable {
    let descriptor: FileDescriptor
    let identity: FileIdentity

    init(_ descriptor: consuming FileDescriptor, _ identity: FileIdentity) {
        self.descriptor = descriptor
        self.identity = identity
    }

    var number: CInt { descriptor.number }
}

/// A regular file, and what it held at one moment.
struct OpenFile: Sendable {
    let held: HeldFile
    let status: FileStatus
    let bytes: [UInt8]
}

extension LockedFile {
    private static var mostAttempts: Int { 10 }

    /// Opens and reads an entry of the directory, nil if there is none. With `forWriting` it may be written in place.
    ///
    /// Programs that write in place take no lock. What was read counts only if size and times were the same before and
    /// after and the name still leads to that file.
    func open(_ name: String, forWriting: Bool = false) throws -> OpenFile? {
        let path = place.path(of: name)
        let flags = (forWriting ? O_RDWR : O_RDONLY) | O_NONBLOCK | O_NOFOLLOW
        for attempt in 0..<Self.mostAttempts {
            pause(before: attempt)
            let held: HeldFile
            do {
                let descriptor = try calls.open(name, in: directory.number, flags: flags, path: path)
                let status = try calls.status(of: descriptor.number, path: path)
                guard status.isRegularFile else { throw DurableFileError(.notAFile, file, "not a regular file") }
                held = HeldFile(descriptor, status.identity)
            } catch let error as SystemError {
                if error.code == ENOENT { return nil }
                // A link by now. If it stays one it was put there after the lock was taken.
                if error.code == ELOOP && attempt + 1 < Self.mostAttempts { continue }
                throw error
            }
            if let open = try read(held, as: name) { return open }
        }
        throw changing()
    }

    /// Reads an entry that may be one of the files that are open already, and needs no other descriptor then.
    func look(at name: String, whichMayBe files: [HeldFile]) throws -> OpenFile? {
        let path = place.path(of: name)
        for attempt in 0..<Self.mostAttempts {
            pause(before: attempt)
            guard let status = try calls.status(of: name, in: directory.number, path: path) else { return nil }
            guard let held = files.first(where: { $0.identity == status.identity }) else { return try open(name) }
            if let open = try read(held, as: name) { return open }
        }
        throw changing()
    }

    /// Reads the whole file, nil if it changed meanwhile or `name` is another file's.
    private func read(_ held: HeldFile, as name: String) throws -> OpenFile? {
        let path = place.path(of: name)
        let status = try calls.status(of: held.number, path: path)
        let bytes = try content(of: held.number, size: status.size, path: path)
        guard
            bytes.count == status.size,
            try calls.status(of: held.number, path: path) == status,
            try calls.status(of: name, in: directory.number, path: path)?.identity == status.identity
        else { return nil }
        return OpenFile(held: held, status: status, bytes: bytes)
    }

    private func pause(before attempt: Int) {
        // 0.25 ms, 0.5 ms and so on, a quarter of a second in all.
        if attempt > 0 { usleep(125 << UInt32(attempt)) }
    }

    private func changing() -> DurableFileError {
        DurableFileError(.contended, file, "it changed during each of \(Self.mostAttempts) attempts to read it")
    }

    /// Reads to the end, or throws `tooLarge`.
    private func content(of descriptor: CInt, size: Int, path: String) throws -> [UInt8] {
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
