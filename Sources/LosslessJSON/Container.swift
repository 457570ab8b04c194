/// An object or array as the editor sees it: its entries with their commas, and the habits of its layout.
struct Container {
    let document: JSONDocument
    let index: Int
    let isObject: Bool
    let entries: [Entry]
    let trivia: Trivia

    /// A member or element.
    struct Entry {
        /// The tape index of the name or element.
        var index: Int
        /// The first byte of the name or element.
        var start: Int
        /// One past the last byte of the value.
        var end: Int
        /// Where its comma stands, or -1.
        var comma: Int
        /// One past the token before it: a comma or the opening bracket.
        var before: Int
    }

    init(_ document: JSONDocument, _ index: Int) {
        self.document = document
        self.index = index
        let node = document.node(index)
        isObject = node.kind == .object
        trivia = Trivia(document: document)
        var entries: [Entry] = []
        var child = index + 1
        var before = Int(node.start) + 1
        while child < Int(node.next) {
            let value = document.node(isObject ? child + 1 : child)
            let next = trivia.nextToken(Int(value.end))
            let comma = document.byte(next) == 0x2C ? next : -1
            entries.append(
                Entry(
                    index: child, start: Int(document.node(child).start), end: Int(value.end), comma: comma,
                    before: before))
            before = comma + 1
            child = Int(value.next)
        }
        self.entries = entries
    }

    var start: Int { Int(document.node(index).start) }
    /// The closing bracket.
    var close: Int { Int(document.node(index).end) - 1 }
    var hasTrailingComma: Bool { (entries.last?.comma ?? -1) >= 0 }

    /// Whether the brackets and all entries stand on one line, whatever the values contain.
    var isOneLine: Bool {
        guard let last = entries.last else { return !hasLineEnd(start + 1, close) }
        for entry in entries where hasLineEnd(entry.before, entry.start) { return false }
        for entry in entries where entry.comma >= 0 && hasLineEnd(entry.end, entry.comma) { return false }
        return !hasLineEnd(max(last.end, last.comma + 1), close)
    }

    private func hasLineEnd(_ start: Int, _ end: Int) -> Bool {
        var p = start
        while p < end {
            if Trivia.isLineEnd(document.byte(p)) { return true }
            p += 1
        }
        return false
    }

    /// The indentation of an entry beside `anchor` (or of the first one), as bytes.
    func entryIndentation(beside anchor: Int?, unit: [UInt8]) -> [UInt8] {
        let ordered = (anchor.map { [entries[$0]] } ?? []) + entries
        for entry in ordered where trivia.isFirstOnLine(entry.start) { return bytes(trivia.indentation(entry.start)) }
        return bytes(trivia.indentation(start)) + unit
    }

    /// How much further than the container's line its entries are indented; nil if that cannot be seen.
    var step: [UInt8]? {
        guard let entry = entries.first(where: { trivia.isFirstOnLine($0.start) }) else { return nil }
        let outer = bytes(trivia.indentation(start))
        let inner = bytes(trivia.indentation(entry.start))
        return inner.count > outer.count && inner.starts(with: outer) ? Array(inner.dropFirst(outer.count)) : nil
    }

    func bytes(_ range: Range<Int>) -> [UInt8] { document.withBytes { Array($0[range]) } }
}
