/// Why a text does not scan, and where. It names no file: the caller knows that.
package struct JSONSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    package enum Code: Hashable, Sendable {
        /// There is no value at all.
        case noValue
        /// The text ends inside a value.
        case unexpectedEnd
        /// A character that cannot stand here.
        case unexpectedCharacter
        /// Something other than white space follows the value.
        case textAfterValue
        /// A string, or a block comment, has no end.
        case unterminatedString, unterminatedComment
        /// A control character inside a string; it has to be escaped.
        case controlCharacter
        /// An escape that JSON does not have.
        case invalidEscape
        /// A number that breaks JSON's grammar.
        case invalidNumber
        /// A word other than `true`, `false` and `null`.
        case invalidLiteral
        /// Bytes that are not UTF-8.
        case invalidUTF8
        /// A comment where the dialect has none.
        case commentNotAllowed
        /// A comma after the last member or element where the dialect has none.
        case trailingComma
        /// More containers inside one another than the options allow.
        case tooDeep
        /// More bytes than the options allow.
        case tooLarge
    }

    /// What is wrong.
    package var code: Code
    /// Where it was noticed.
    package var place: JSONPlace
    /// What stands there.
    package var found: String
    /// What should stand there.
    package var expected: String

    /// Makes an error from its parts.
    package init(code: Code, place: JSONPlace, found: String, expected: String) {
        self.code = code
        self.place = place
        self.found = found
        self.expected = expected
    }

    /// "line 3, column 5: found '}', expected a value".
    package var description: String { "\(place): found \(found), expected \(expected)" }
}

extension JSONSyntaxError {
    /// Builds the error for `offset` in `text`; `expected` replaces the code's own words.
    init(_ code: Code, at offset: Int, in text: UnsafeRawBufferPointer, expected: String? = nil) {
        self.init(
            code: code, place: JSONPlace(of: offset, in: text), found: Self.found(code, at: offset, in: text),
            expected: expected ?? Self.expected(code))
    }

    private static func expected(_ code: Code) -> String {
        switch code {
        case .noValue, .unexpectedEnd, .unexpectedCharacter: "a value"
        case .textAfterValue: "the end of the text"
        case .unterminatedString: "'\"' that ends the string"
        case .unterminatedComment: "'*/' that ends the comment"
        case .controlCharacter: "an escape such as \\n or \\u0000"
        case .invalidEscape: "one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t or \\u and four hexadecimal digits"
        case .invalidNumber: "a number such as 1, -0.5 or 2e10"
        case .invalidLiteral: "true, false or null"
        case .invalidUTF8: "UTF-8"
        case .commentNotAllowed: "JSON without comments"
        case .trailingComma: "another entry: JSON has no comma after the last one"
        case .tooDeep: "fewer containers inside one another"
        case .tooLarge: "a smaller text"
        }
    }

    private static func found(_ code: Code, at offset: Int, in text: UnsafeRawBufferPointer) -> String {
        if code == .tooLarge { return "\(text.count) bytes" }
        guard offset < text.count else { return "the end of the text" }
        if code == .invalidLiteral || code == .unexpectedCharacter {
            let word = text[offset...].prefix(24).prefix { isWordByte($0) }
            if word.count > 1 { return "'\(String(decoding: word, as: UTF8.self))'" }
        }
        if code == .invalidNumber {
            var start = offset
            while start > 0, offset - start < 24, isNumberByte(text[start - 1]) { start -= 1 }
            let number = text[start...].prefix(32).prefix { isNumberByte($0) || isWordByte($0) }
            if !number.isEmpty { return "'\(String(decoding: number, as: UTF8.self))'" }
        }
        if code == .invalidEscape {
            return "'\(String(decoding: text[offset...].prefix(6).prefix { $0 > 0x20 && $0 < 0x7F }, as: UTF8.self))'"
        }
        let byte = text[offset]
        if byte < 0x20 || byte == 0x7F { return "the control character \(hexadecimal(byte))" }
        if byte < 0x80 { return "'\(Character(UnicodeScalar(byte)))'" }
        var bytes = text[offset...].prefix(4).makeIterator()
        var decoder = UTF8()
        if case .scalarValue(let scalar) = decoder.decode(&bytes) { return "'\(Character(scalar))'" }
        return "the byte \(hexadecimal(byte))"
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x5F
    }

    private static func isNumberByte(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || byte == 0x2B || byte == 0x2D || byte == 0x2E || byte == 0x45 || byte == 0x65
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return "0x" + (digits.count < 2 ? "0" : "") + digits
    }
}
