#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A path as the kernel sees it: bytes, which need not be UTF-8 (the target of a link may be anything).
struct PathBytes: Hashable, Sendable {
    /// The bytes, without the NUL that ends them for the kernel.
    private(set) var bytes: [UInt8]

    static let root = PathBytes(bytes: [UInt8(ascii: "/")])

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// `path` made absolute by the working directory of this moment; left as it is when there is none.
    init(absolute path: String) {
        bytes = Array(path.utf8)
        // An empty path is no path: it leads nowhere, not to the working directory.
        guard let first = bytes.first, first != UInt8(ascii: "/"), let directory = getcwd(nil, 0) else { return }
        defer { free(directory) }
        bytes = PathBytes.root.bytes
        append(component: Array(UnsafeBufferPointer(start: directory, count: strlen(directory)).map(UInt8.init)))
        bytes.append(UInt8(ascii: "/"))
        bytes.append(contentsOf: path.utf8)
    }

    /// The text for messages; bytes that are no UTF-8 are replaced.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Whether the kernel would see only a part of it.
    var containsNUL: Bool { bytes.contains(0) }

    /// The names between the slashes.
    var components: [[UInt8]] { bytes.split(separator: UInt8(ascii: "/")).map(Array.init) }

    func appending(_ component: [UInt8]) -> PathBytes {
        var path = self
        path.append(component: component)
        return path
    }

    private mutating func append(component: [UInt8]) {
        if bytes.last != UInt8(ascii: "/") { bytes.append(UInt8(ascii: "/")) }
        bytes.append(contentsOf: component)
    }

    /// Calls `body` with a NUL-terminated copy, valid during the call.
    func withPointer<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        (bytes + [0]).withUnsafeBytes { buffer in
            // Sound: the array is never empty, and CChar has the layout of UInt8.
            let start = buffer.assumingMemoryBound(to: CChar.self)
            return withExtendedLifetime(start) { body(start.baseAddress.unsafelyUnwrapped) }
        }
    }
}
