#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A system call did not do what the example needs.
struct SystemFailure: Error, CustomStringConvertible {
    let description: String

    /// The failure of `call`, which has just left its errno.
    init(_ call: String) {
        // Sound: strerror(3) returns a C string.
        description = unsafe "\(call): \(String(cString: strerror(errno)))"
    }
}

/// A directory of its own for the settings file.
struct WorkDirectory {
    let path: String

    init() throws {
        var template = Array("/tmp/await-changes-XXXXXX".utf8CString)
        // Sound: mkdtemp(3) changes the characters of the template in place and keeps its length.
        guard unsafe mkdtemp(&template) != nil else {
            throw SystemFailure("mkdtemp")
        }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Removes it with the one file that it holds.
    func remove() {
        // Sound: the paths are C strings for the length of the calls.
        unsafe unlink(path + "/service.json")
        unsafe rmdir(path)
    }
}

/// A small text file, as an editor would save it: in place.
enum TextFile {
    static func read(_ path: String) throws -> String {
        guard let file = unsafe fopen(path, "re") else { throw SystemFailure("fopen \(path)") }
        defer { unsafe fclose(file) }
        var bytes: [UInt8] = []
        while case let byte = unsafe getc(file), byte != EOF { bytes.append(UInt8(truncatingIfNeeded: byte)) }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func write(_ text: String, to path: String) throws {
        guard let file = unsafe fopen(path, "we") else { throw SystemFailure("fopen \(path)") }
        let isWritten = unsafe fputs(text, file) != EOF
        guard unsafe fclose(file) == 0, isWritten else { throw SystemFailure("write \(path)") }
    }
}
