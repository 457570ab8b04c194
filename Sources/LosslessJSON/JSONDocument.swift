import Synchronization

/// A scanned text: its exact bytes and a flat tape of what stands where.
///
/// A document never changes; an edit makes another one. It owns its memory, and every `JSONNode` keeps it alive.
/// Reading is safe from any number of threads.
package final class JSONDocument: @unchecked Sendable {
    // Sound: the memory is written in `init` alone and freed in `deinit`; `index` and `wideWalks` are atomic.

    /// The text, then `padding` zero bytes.
    private let text: UnsafeMutableRawPointer
    /// The nodes in text order, `nodeCount` of them.
    private let tape: UnsafePointer<TapeNode>
    let nodeCount: Int
    /// How many bytes the text has.
    package let byteCount: Int
    /// What the text was scanned with.
    package let options: JSONOptions

    /// The names of wide objects by hash, made when walks over them repeat.
    private let index = AtomicLazyReference<NameIndex>()
    private let wideWalks = Atomic<Int>(0)

    private static let padding = 64

    // MARK: Making one

    /// Scans a copy of `bytes`. Linear; throws the first error in the text.
    package convenience init(_ bytes: [UInt8], options: JSONOptions) throws(JSONSyntaxError) {
        let padded = try PaddedText(copying: bytes.span.bytes, options: options)
        try self.init(padded, options: options)
    }

    /// Scans a copy of the bytes of `text`.
    package convenience init(text: String, options: JSONOptions) throws(JSONSyntaxError) {
        try self.init(Array(text.utf8), options: options)
    }

    /// Scans a copy of `bytes`, which need to stay valid only during the call.
    package convenience init(_ bytes: UnsafeRawBufferPointer, options: JSONOptions) throws(JSONSyntaxError) {
        let padded = try PaddedText(copying: bytes.bytes, options: options)
        try self.init(padded, options: options)
    }

    /// Scans a text of `byteCount` bytes that `fill` writes into memory of that size, all of it. `nodeCount` is a guess.
    convenience init(
        byteCount: Int, nodeCount: Int, options: JSONOptions, fill: (UnsafeMutableRawPointer) -> Void
    ) throws(JSONSyntaxError) {
        let padded = try PaddedText(byteCount: byteCount, options: options)
        fill(padded.base)
        try self.init(padded, options: options, nodeCount: nodeCount)
    }

    private init(
        _ padded: consuming PaddedText, options: JSONOptions, nodeCount guess: Int? = nil
    ) throws(JSONSyntaxError) {
        let count = padded.count
        var nodes = TapeMemory(capacity: guess ?? count / 12 + 32)
        do throws(Scanner.Failure) {
            let scanner = Scanner(base: padded.base, count: count, options: options)
            try scanner.scan(into: &nodes)
        } catch {
            throw JSONSyntaxError(
                error.code, at: error.offset, in: UnsafeRawBufferPointer(start: padded.base, count: count),
                expected: error.expected)
        }
        self.options = options
        byteCount = count
        text = padded.release()
        (tape, nodeCount) = nodes.release()
    }

    deinit {
        text.deallocate()
        Memory.free(tape)
    }

    /// A copy of a text with zero bytes behind it, not yet owned by a document.
    private struct PaddedText: ~Copyable {
        let base: UnsafeMutableRawPointer
        let count: Int

        init(copying bytes: RawSpan, options: JSONOptions) throws(JSONSyntaxError) {
            try self.init(byteCount: bytes.byteCount, options: options)
            let base = base
            bytes.withUnsafeBytes { source in
                if let start = source.baseAddress { base.copyMemory(from: start, byteCount: source.count) }
            }
        }

        /// Room for a text, which the caller writes.
        init(byteCount: Int, options: JSONOptions) throws(JSONSyntaxError) {
            count = byteCount
            if count > min(options.maximumSize, Int(Int32.max)) {
                throw JSONSyntaxError(
                    code: .tooLarge, place: JSONPlace(offset: 0, line: 1, column: 1), found: "\(count) bytes",
                    expected: "at most \(min(options.maximumSize, Int(Int32.max))) bytes")
            }
            let memory = UnsafeMutableRawPointer.allocate(byteCount: count + JSONDocument.padding, alignment: 16)
            memory.advanced(by: count).initializeMemory(as: UInt8.self, repeating: 0, count: JSONDocument.padding)
            base = memory
        }

        consuming func release() -> UnsafeMutableRawPointer {
            let result = base
            discard self
            return result
        }

        deinit { base.deallocate() }
    }

    // MARK: The text

    /// A copy of the text.
    package var bytes: [UInt8] { Array(rawText) }

    /// Calls `body` with the text in place. The pointer must not leave the call.
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(rawText)
    }

    /// Whether both texts are the same, byte for byte.
    package func hasSameBytes(as other: JSONDocument) -> Bool {
        byteCount == other.byteCount && sameBytes(0, byteCount, in: other, at: 0)
    }

    /// Whether the text is `bytes`, byte for byte.
    package func hasSameBytes(as bytes: [UInt8]) -> Bool {
        byteCount == bytes.count && bytes.withUnsafeBytes { Memory.areEqual(text, $0.baseAddress, byteCount) }
    }

    /// The line and column of a byte offset. Linear in the offset.
    package func place(at offset: Int) -> JSONPlace {
        JSONPlace(of: offset, in: rawText)
    }

    // MARK: The tape

    /// The value of the text; nil if it has none.
    package var root: JSONNode? { nodeCount == 0 ? nil : JSONNode(document: self, index: 0) }

    /// The text for code of this module that keeps the document alive meanwhile.
    @inline(__always)
    var rawText: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: text, count: byteCount) }

    /// A byte of the text; zero behind its end.
    @inline(__always)
    func byte(_ offset: Int) -> UInt8 {
        assert(offset >= 0 && offset < byteCount + Self.padding)
        return text.load(fromByteOffset: offset, as: UInt8.self)
    }

    /// The node at an index below `nodeCount`.
    @inline(__always)
    func node(_ index: Int) -> TapeNode {
        assert(index >= 0 && index < nodeCount)
        return tape[index]
    }

    @inline(__always)
    var nodes: UnsafePointer<TapeNode> { tape }

    /// Whether `length` bytes at `offset` are those of `other` at `otherOffset`; both ranges lie inside the texts.
    @inline(__always)
    func sameBytes(_ offset: Int, _ length: Int, in other: JSONDocument, at otherOffset: Int) -> Bool {
        Memory.areEqual(text + offset, other.text + otherOffset, length)
    }

    // MARK: Wide objects

    /// Counts a walk over the members of a wide object; makes the index once that has cost more than making it does.
    func noteWalk(over members: Int) {
        let walked = wideWalks.add(members, ordering: .relaxed).newValue
        if walked >= nodeCount { _ = index.load() ?? index.storeIfNil(NameIndex(self)) }
    }

    /// The index over wide objects if it is worth making.
    @inline(__always)
    var madeNameIndex: NameIndex? {
        // The counter spares most look-ups the reference.
        wideWalks.load(ordering: .relaxed) < nodeCount ? nil : index.load()
    }
}
