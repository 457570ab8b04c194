#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A directory that the example makes for itself, with one file.
final class WorkDirectory: Sendable {
    let path: String
    let file: String

    /// Makes it in `TMPDIR`, or in `/var/tmp` when that is not set.
    init() throws {
        // Sound: the environment is not changed by this process, and the text is copied at once.
        let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/var/tmp"
        var template = Array("\(parent)/hot-reload-XXXXXX".utf8CString)
        // Sound: the template is terminated and writable; it is changed in place.
        guard unsafe mkdtemp(&template) != nil else { throw CallFailure("mkdtemp in \(parent)") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        file = path + "/service.json"
    }

    /// Makes the file, with `text`.
    func makeFile(_ text: String) throws {
        // Sound: the path is passed as a terminated text for the call.
        let descriptor = unsafe open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw CallFailure("open") }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        // Sound: as many bytes are read from the array as it has.
        let count = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        guard count == bytes.count else { throw CallFailure("write") }
    }

    /// The text of the file.
    func text() throws -> String {
        // Sound: the path is passed as a terminated text for the call.
        let descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw CallFailure("open") }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            // Sound: at most the buffer's size is written into it.
            let count = unsafe buffer.withUnsafeMutableBytes {
                unsafe read(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw CallFailure("read") }
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<count]
        }
    }

    /// Removes the file and the directory. Throws when anything else was left there.
    func remove() throws {
        // Sound: the paths are passed as terminated texts for the calls.
        guard unsafe unlink(file) == 0 else { throw CallFailure("unlink") }
        guard unsafe rmdir(path) == 0 else { throw CallFailure("rmdir") }
    }
}
