/// What the strings of a text stand for.
enum JSONString {
    /// The bytes between the quotes.
    @inline(__always)
    static func contents(_ document: JSONDocument, _ index: Int) -> Range<Int> {
        let node = document.node(index)
        return (Int(node.start) + 1)..<(Int(node.end) - 1)
    }

    /// The string with its escapes resolved; nil if it has a lone surrogate.
    static func exact(_ document: JSONDocument, _ index: Int) -> String? {
        let range = contents(document, index)
        if !document.node(index).has(TapeNode.hasEscape) {
            return document.withBytes { String(decoding: $0[range], as: UTF8.self) }
        }
        var isWhole = true
        let bytes = unescaped(document, range, isWhole: &isWhole)
        return isWhole ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// The string with its escapes resolved, U+FFFD for a lone surrogate.
    static func lossy(_ document: JSONDocument, _ index: Int) -> String {
        if let exact = exact(document, index) { return exact }
        return String(decoding: unescapedName(document, index), as: UTF8.self)
    }

    /// The bytes of a string with its escapes resolved. A lone surrogate becomes the three bytes that UTF-8 would have
    /// for it, which equal no valid text: so it compares equal to itself alone.
    static func unescapedName(_ document: JSONDocument, _ index: Int) -> [UInt8] {
        let range = contents(document, index)
        if !document.node(index).has(TapeNode.hasEscape) { return document.withBytes { Array($0[range]) } }
        var isWhole = true
        return unescaped(document, range, isWhole: &isWhole)
    }

    /// Whether two strings stand for the same text.
    static func areEqual(_ left: JSONDocument, _ leftIndex: Int, _ right: JSONDocument, _ rightIndex: Int) -> Bool {
        let a = left.node(leftIndex)
        let b = right.node(rightIndex)
        if !(a.has(TapeNode.hasEscape) || b.has(TapeNode.hasEscape)) {
            let length = Int(a.end &- a.start)
            return length == Int(b.end &- b.start) && left.sameBytes(Int(a.start), length, in: right, at: Int(b.start))
        }
        return unescapedName(left, leftIndex) == unescapedName(right, rightIndex)
    }

    private static func unescaped(_ document: JSONDocument, _ range: Range<Int>, isWhole: inout Bool) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        var p = range.lowerBound
        while p < range.upperBound {
            let c = document.byte(p)
            if c != 0x5C {
                bytes.append(c)
                p += 1
                continue
            }
            // The scan has checked that the escape is complete.
            let kind = document.byte(p + 1)
            p += 2
            switch kind {
            case 0x62: bytes.append(0x08)
            case 0x66: bytes.append(0x0C)
            case 0x6E: bytes.append(0x0A)
            case 0x72: bytes.append(0x0D)
            case 0x74: bytes.append(0x09)
            case 0x75:
                var code = hexadecimal(document, p)
                p += 4
                if code & 0xF800 == 0xD800 {
                    // Only a high one with a low one behind it is a character.
                    var low: UInt32 = 0
                    if code < 0xDC00, p + 6 <= range.upperBound, document.byte(p) == 0x5C, document.byte(p + 1) == 0x75
                    {
                        low = hexadecimal(document, p + 2)
                    }
                    if low & 0xFC00 == 0xDC00 {
                        code = 0x10000 + ((code & 0x3FF) << 10) + (low & 0x3FF)
                        p += 6
                    } else {
                        isWhole = false
                    }
                }
                append(code, to: &bytes)
            default: bytes.append(kind)
            }
        }
        return bytes
    }

    private static func hexadecimal(_ document: JSONDocument, _ offset: Int) -> UInt32 {
        var code: UInt32 = 0
        for position in offset..<(offset + 4) {
            let c = document.byte(position)
            code = code << 4 | UInt32(c < 0x3A ? c &- 0x30 : (c | 0x20) &- 0x57)
        }
        return code
    }

    private static func append(_ code: UInt32, to bytes: inout [UInt8]) {
        func tail(_ shift: UInt32) -> UInt8 { UInt8(0x80 | (code >> shift) & 0x3F) }
        switch code {
        case 0..<0x80: bytes.append(UInt8(code))
        case 0x80..<0x800: bytes += [UInt8(0xC0 | code >> 6), tail(0)]
        case 0x800..<0x1_0000: bytes += [UInt8(0xE0 | code >> 12), tail(6), tail(0)]
        default: bytes += [UInt8(0xF0 | code >> 18), tail(12), tail(6), tail(0)]
        }
    }
}
