/// A place in a text, as an editor shows it.
package struct JSONPlace: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// Bytes before the place, a byte order mark counted.
    package var offset: Int
    /// The line, from 1. A line ends with LF, CR or CRLF.
    package var line: Int
    /// The column in Unicode scalars, from 1, a byte order mark not counted.
    package var column: Int

    /// Makes a place from its three numbers.
    package init(offset: Int, line: Int, column: Int) {
        self.offset = offset
        self.line = line
        self.column = column
    }

    /// Text order.
    package static func < (left: JSONPlace, right: JSONPlace) -> Bool { left.offset < right.offset }

    /// "line 3, column 5".
    package var description: String { "line \(line), column \(column)" }

    /// The place of `offset` in `text`; an offset past the end counts as the end. Linear in `offset`.
    init(of offset: Int, in text: UnsafeRawBufferPointer) {
        let offset = min(max(offset, 0), text.count)
        var index = text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        var line = 1
        var lineStart = index
        while index < offset {
            let byte = text[index]
            index += 1
            if byte == 0x0A || (byte == 0x0D && !(index < text.count && text[index] == 0x0A)) {
                line += 1
                lineStart = index
            }
        }
        var column = 1
        index = lineStart
        while index < offset {
            // Every byte but a UTF-8 continuation begins a scalar.
            if text[index] & 0xC0 != 0x80 { column += 1 }
            index += 1
        }
        self.init(offset: offset, line: line, column: column)
    }
}
