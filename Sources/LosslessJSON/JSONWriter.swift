/// Writes JSON text on one line: `{"a": 1, "b": [1, 2]}`.
///
/// The caller's calls have to nest as JSON does; that is checked by assertions in debug builds only.
package struct JSONWriter {
    /// The text so far.
    private(set) var output: [UInt8] = []
    /// Whether a comma is due before the next entry of the innermost container.
    private var needsComma = false

    /// Makes an empty writer.
    package init(reservingCapacity capacity: Int = 0) {
        output.reserveCapacity(capacity)
    }

    /// The finished text.
    package var bytes: [UInt8] { output }

    /// Puts another text in place of what has been written.
    mutating func replaceOutput(with text: [UInt8]) { output = text }

    // MARK: Containers

    /// Begins an object.
    package mutating func beginObject() {
        beginValue()
        output.append(0x7B)
        needsComma = false
    }

    /// Writes a member's name; its value comes next.
    package mutating func name(_ name: String) {
        beginValue()
        appendQuoted(name)
        output.append(0x3A)
        output.append(0x20)
        needsComma = false
    }

    /// Ends the innermost object.
    package mutating func endObject() {
        output.append(0x7D)
        needsComma = true
    }

    /// Begins an array.
    package mutating func beginArray() {
        beginValue()
        output.append(0x5B)
        needsComma = false
    }

    /// Ends the innermost array.
    package mutating func endArray() {
        output.append(0x5D)
        needsComma = true
    }

    // MARK: Scalars

    /// Writes `null`.
    package mutating func null() { word("null") }

    /// Writes `true` or `false`.
    package mutating func bool(_ value: Bool) { word(value ? "true" : "false") }

    /// Writes an integer of any width.
    package mutating func integer<T: FixedWidthInteger>(_ value: T) {
        beginValue()
        needsComma = true
        if T.bitWidth > 64 {
            output.append(contentsOf: String(value).utf8)
            return
        }
        if value < 0 { output.append(0x2D) }
        var magnitude = UInt64(truncatingIfNeeded: value.magnitude)
        // 20 digits are enough for 64 bits.
        var digits: InlineArray<20, UInt8> = .init(repeating: 0)
        var first = 20
        repeat {
            first &-= 1
            let quotient = magnitude / 10
            digits[first] = UInt8(truncatingIfNeeded: magnitude &- quotient &* 10) | 0x30
            magnitude = quotient
        } while magnitude > 0
        while first < 20 {
            output.append(digits[first])
            first &+= 1
        }
    }

    /// Writes the shortest digits that read back as the same `Double`: `8080`, `0.1`, `1e21`, `-0`.
    ///
    /// Throws `notFinite` for NaN and the infinities, which JSON does not have; nothing is written then.
    package mutating func double(_ value: Double) throws(JSONWriteError) {
        if !value.isFinite { throw .notFinite }
        if let integer = Int64(exactly: value), abs(integer) < 1 << 53, !(value == 0 && value.sign == .minus) {
            return self.integer(integer)
        }
        floatingPoint(value.description)
    }

    /// Writes the shortest digits that read back as the same `Float`. Throws like `double(_:)`.
    package mutating func float(_ value: Float) throws(JSONWriteError) {
        if !value.isFinite { throw .notFinite }
        if let integer = Int64(exactly: value), abs(integer) < 1 << 24, !(value == 0 && value.sign == .minus) {
            return self.integer(integer)
        }
        floatingPoint(value.description)
    }

    /// Writes a string with its quotes, escaping what JSON requires and nothing else.
    package mutating func string(_ value: String) {
        beginValue()
        appendQuoted(value)
        needsComma = true
    }

    /// Writes JSON text as it is. The caller answers for its being one value.
    package mutating func raw(_ text: some Collection<UInt8>) {
        beginValue()
        output.append(contentsOf: text)
        needsComma = true
    }

    /// The text of a string with its quotes.
    package static func quoted(_ value: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.string(value)
        return writer.output
    }

    // MARK: Parts

    @inline(__always)
    private mutating func beginValue() {
        if needsComma {
            output.append(0x2C)
            output.append(0x20)
        }
    }

    private mutating func word(_ word: StaticString) {
        beginValue()
        word.withUTF8Buffer { output.append(contentsOf: $0) }
        needsComma = true
    }

    /// Swift's description is the shortest that reads back; JSON needs no ".0", no "+" and no zeros in the exponent.
    private mutating func floatingPoint(_ description: String) {
        beginValue()
        needsComma = true
        var description = description
        description.withUTF8 { text in
            guard let e = text.lastIndex(of: 0x65) else {
                let isIntegral = text.count > 2 && text[text.count - 1] == 0x30 && text[text.count - 2] == 0x2E
                output.append(contentsOf: text[..<(text.count - (isIntegral ? 2 : 0))])
                return
            }
            let mantissaEnd = e > 2 && text[e - 1] == 0x30 && text[e - 2] == 0x2E ? e - 2 : e
            output.append(contentsOf: text[..<mantissaEnd])
            output.append(0x65)
            var digit = e + 1
            if text[digit] == 0x2D { output.append(0x2D) }
            if text[digit] == 0x2D || text[digit] == 0x2B { digit += 1 }
            while text[digit] == 0x30, digit < text.count - 1 { digit += 1 }
            output.append(contentsOf: text[digit...])
        }
    }

    private mutating func appendQuoted(_ value: String) {
        let isDone: Void? = value.utf8.withContiguousStorageIfAvailable { appendQuoted(UnsafeRawBufferPointer($0)) }
        if isDone == nil { Array(value.utf8).withUnsafeBytes { appendQuoted($0) } }
    }

    private mutating func appendQuoted(_ utf8: UnsafeRawBufferPointer) {
        output.append(0x22)
        var start = 0
        while true {
            let stop = Self.firstToEscape(utf8, from: start)
            output.append(contentsOf: UnsafeRawBufferPointer(rebasing: utf8[start..<stop]))
            if stop == utf8.count { break }
            appendEscape(utf8[stop])
            start = stop + 1
        }
        output.append(0x22)
    }

    /// The first byte at or behind `start` that cannot stand in a string as it is; the count if there is none.
    @inline(__always)
    private static func firstToEscape(_ utf8: UnsafeRawBufferPointer, from start: Int) -> Int {
        var position = start
        while position &+ 8 <= utf8.count {
            let w = UInt64(littleEndian: utf8.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            // Marks control characters, quotes and backslashes; a byte beyond ASCII has its own high bit, taken out.
            let marked =
                ((w &- 0x2020_2020_2020_2020) | ((w ^ 0x2222_2222_2222_2222) &- 0x0101_0101_0101_0101)
                    | ((w ^ 0x5C5C_5C5C_5C5C_5C5C) &- 0x0101_0101_0101_0101)) & ~w & 0x8080_8080_8080_8080
            // The lowest mark is exact; see the scanner.
            if marked != 0 { return position &+ (marked.trailingZeroBitCount &>> 3) }
            position &+= 8
        }
        while position < utf8.count {
            let c = utf8[position]
            if c < 0x20 || c == 0x22 || c == 0x5C { return position }
            position &+= 1
        }
        return position
    }

    private mutating func appendEscape(_ c: UInt8) {
        output.append(0x5C)
        switch c {
        case 0x22, 0x5C: output.append(c)
        case 0x08: output.append(0x62)
        case 0x09: output.append(0x74)
        case 0x0A: output.append(0x6E)
        case 0x0C: output.append(0x66)
        case 0x0D: output.append(0x72)
        default:
            let low = c & 0xF
            output.append(contentsOf: [0x75, 0x30, 0x30, 0x30 | c >> 4, low < 10 ? 0x30 | low : 0x57 + low])
        }
    }
}

/// Why a value cannot be written as JSON.
package enum JSONWriteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// NaN or an infinity.
    case notFinite

    /// A sentence without a place.
    package var description: String { "JSON has no NaN and no infinity" }
}
