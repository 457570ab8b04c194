import Foundation

/// A shared mapping of a file, whose descriptor is closed already.
struct Mapping {
    private let start: UnsafeMutableRawPointer
    private let count: Int

    static func open(_ path: String) throws -> Mapping {
        let descriptor = Foundation.open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        defer { Foundation.close(descriptor) }
        var status = stat()
        fstat(descriptor, &status)
        let count = Int(status.st_size)
        let start = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let start, start != MAP_FAILED else { throw POSIXError(.EIO) }
        return Mapping(start: start, count: count)
    }

    static func store(_ text: String, _ path: String, _ body: (Mapping) -> Void) throws {
        let mapping = try open(path)
        mapping.store(text)
        body(mapping)
        mapping.close()
    }

    /// Overwrites the beginning with `text`.
    func store(_ text: String) {
        // Sound: never more than the mapping holds.
        UnsafeMutableRawBufferPointer(start: start, count: count).copyBytes(from: text.utf8.prefix(count))
        msync(start, count, MS_SYNC)
    }

    func close() { munmap(start, count) }
}
