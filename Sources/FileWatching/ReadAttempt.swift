import SystemCalls

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// One attempt to read a file, which may be replaced or written at the same time.
///
/// It never blocks on what is no regular file, and tells whether the file held still meanwhile: `stat` before and
/// after must agree in everything.
struct ReadAttempt: Sendable {
    enum Outcome: Sendable {
        case bytes([UInt8])
        case missing
        case unreadable(SystemError)
        case notAFile(FileKind)
        case tooLarge(size: Int, limit: Int)
        /// The file was written meanwhile.
        case changed
    }

    let outcome: Outcome
    /// What was read; nil when there was nothing.
    let signature: FileSignature?
    /// Whether the path still led to the same file afterwards. Bytes of a file that was replaced meanwhile are whole.
    let isCurrent: Bool

    private init(_ outcome: Outcome, _ signature: FileSignature? = nil, isCurrent: Bool = true) {
        self.outcome = outcome
        self.signature = signature
        self.isCurrent = isCurrent
    }

    /// Opens, reads and closes the file at `path`; takes at most `limit` bytes.
    init(path: PathBytes, limit: Int) {
        guard !path.containsNUL else {
            self.init(.unreadable(SystemError(call: "open", path: path.text, code: EINVAL)))
            return
        }
        do throws(SystemError) {
            // Looked at before it is opened: opening a FIFO wakes its writer, opening a device may do anything.
            let found = try FileSignature(at: path)
            guard found.isRegular else {
                self.init(.notAFile(found.kind), found)
                return
            }
            let descriptor = try Self.open(path)
            let before = try FileSignature(of: descriptor, path: path)
            guard before.isRegular else {
                self.init(.notAFile(before.kind), before)
                return
            }
            guard before.size <= limit else {
                self.init(.tooLarge(size: before.size, limit: limit), before)
                return
            }
            let bytes = try Self.readAll(descriptor, path, expected: before.size, limit: limit)
            guard bytes.count <= limit else {
                self.init(.tooLarge(size: bytes.count, limit: limit), before)
                return
            }
            let after = try FileSignature(of: descriptor, path: path)
            // Files of /proc and the like have bytes but no size.
            guard before == after, bytes.count == after.size || after.size == 0 else {
                self.init(.changed, after, isCurrent: false)
                return
            }
            let now = try? FileSignature(at: path)
            self.init(.bytes(bytes), before, isCurrent: now == before)
        } catch {
            switch error.code {
            case ENOENT, ENOTDIR: self.init(.missing)
            case ESTALE: self.init(.changed, isCurrent: false)
            default: self.init(.unreadable(error), try? FileSignature(at: path))
            }
        }
    }

    private static func open(_ path: PathBytes) throws(SystemError) -> FileDescriptor {
        while true {
            let flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY
            let number = path.withPointer { pointer in
                #if canImport(Glibc)
                    Glibc.open(pointer, flags)
                #elseif canImport(Musl)
                    Musl.open(pointer, flags)
                #else
                    Darwin.open(pointer, flags)
                #endif
            }
            if number >= 0 { return FileDescriptor(owning: number) }
            if errno != EINTR { throw .last("open", path.text) }
        }
    }

    /// All bytes up to the end, or `limit` + 1 of them.
    private static func readAll(
        _ descriptor: borrowing FileDescriptor, _ path: PathBytes, expected: Int, limit: Int
    ) throws(SystemError) -> [UInt8] {
        let number = descriptor.number
        var bytes: [UInt8] = []
        var capacity = expected + 1
        while true {
            var failure: CInt = 0
            var ended = false
            let wanted = min(capacity, limit + 1 - bytes.count)
            let part = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
                // Sound: each read is given the rest of the buffer, and `count` is what the kernel said it wrote.
                while count < wanted, !ended, failure == 0 {
                    let length = read(number, buffer.baseAddress.map { $0 + count }, wanted - count)
                    if length > 0 {
                        count += length
                    } else if length == 0 {
                        ended = true
                    } else if errno != EINTR {
                        failure = errno
                    }
                }
            }
            guard failure == 0 else { throw SystemError(call: "read", path: path.text, code: failure) }
            bytes = bytes.isEmpty ? part : bytes + part
            if ended || bytes.count > limit { return bytes }
            capacity = max(bytes.count, 16 << 10)
        }
    }
}
