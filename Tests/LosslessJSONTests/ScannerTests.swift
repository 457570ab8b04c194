import LosslessJSON
import Testing

@Suite struct ScannerTests {
    private func error(_ text: String, _ options: JSONOptions = .strict) -> JSONSyntaxError? {
        error(Array(text.utf8), options)
    }

    private func error(_ bytes: [UInt8], _ options: JSONOptions = .strict) -> JSONSyntaxError? {
        do {
            _ = try JSONDocument(bytes, options: options)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        ("{\n  \"a\": }", "line 2, column 8: found '}', expected a value"),
        ("[1, 2", "line 1, column 6: found the end of the text, expected ',' or ']'"),
        ("[1 2]", "line 1, column 4: found '2', expected ',' or ']'"),
        ("{\"a\" 1}", "line 1, column 6: found '1', expected ':'"),
        ("{1: 2}", "line 1, column 2: found '1', expected a member name or '}'"),
        ("{\"a\": 1, 2}", "line 1, column 10: found '2', expected a member name"),
        ("\"é🌍\" x", "line 1, column 6: found 'x', expected the end of the text"),
        ("{} {}", "line 1, column 4: found '{', expected the end of the text"),
        ("nul", "line 1, column 1: found 'nul', expected true, false or null"),
        ("NaN", "line 1, column 1: found 'NaN', expected a value"),
        ("[01]", "line 1, column 3: found '01', expected a number such as 1, -0.5 or 2e10"),
        ("\r\n\r\n]", "line 3, column 1: found ']', expected a value"),
        ("\"a\nb\"", "line 1, column 3: found the control character 0x0A, expected an escape such as \\n or \\u0000"),
        ("", "line 1, column 1: found the end of the text, expected a value"),
        ("// c\n1", "line 1, column 1: found '/', expected JSON without comments"),
        (
            "[1,]",
            "line 1, column 3: found ',', expected another entry: JSON has no comma after the last one"
        ),
    ])
    func `an error says where, what was found and what was expected`(text: String, message: String) {
        #expect(error(text)?.description == message)
    }

    @Test func `the options decide about comments, trailing commas and texts without a value`() throws {
        let text = "/* a */ { // b\n \"a\": /* c */ [1, 2,], } // d"
        #expect(error(text, .strict)?.code == .commentNotAllowed)
        #expect(error(text, .settings) == nil)
        #expect(error("[1,]", JSONOptions(allowsComments: true))?.code == .trailingComma)
        #expect(error("// c", JSONOptions(allowsComments: true))?.code == .noValue)
        for empty in ["", " \n", "// c", "/* c */\n", "\u{FEFF}"] {
            #expect(try JSONDocument(text: empty, options: .settings).root == nil)
            #expect(error(empty)?.code != nil)
        }
        #expect(error("[,]", .settings) != nil)
        #expect(error("[1,,]", .settings) != nil)
        #expect(error("/* c", .settings)?.code == .unterminatedComment)
        #expect(error("/", .settings)?.code == .unexpectedCharacter)
    }

    @Test func `a byte order mark is accepted in both dialects and not counted in the column`() throws {
        let document = try JSONDocument(text: "\u{FEFF}{\"a\": 1}", options: .strict)
        #expect(document.value(at: ["a"])?.place == JSONPlace(offset: 9, line: 1, column: 7))
        #expect(document.bytes.starts(with: [0xEF, 0xBB, 0xBF]))
        #expect(error("\u{FEFF}\u{FEFF}1") != nil)
    }

    @Test func `depth has a limit, and a hundred thousand brackets are an error with a place`() {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(error(nested(512)) == nil)
        #expect(error(nested(513))?.code == .tooDeep)
        #expect(error(nested(513))?.place.offset == 512)
        #expect(error(String(repeating: "[", count: 100_000))?.code == .tooDeep)
        #expect(error(String(repeating: "{\"a\":", count: 100_000))?.code == .tooDeep)
    }

    @Test func `a text that is too large is refused before it is read`() {
        var options = JSONOptions.strict
        options.maximumSize = 10
        #expect(error("\"12345678\"", options) == nil)
        #expect(error("\"123456789\"", options)?.code == .tooLarge)
    }

    @Test func `every cut of a text is an error, never a read past its end`() throws {
        let text = Array(
            #"{"a\u00e9b": [1.5e+10, -0, true, false, null, "x\n🌍é"], "c": {"d": "0123456789abcdef"}}"#.utf8)
        #expect(error(text) == nil)
        for count in 0..<text.count { #expect(error(Array(text[..<count])) != nil, "\(count)") }
        // Tokens that end with the last byte.
        for token in ["1", "-1.5e3", "true", "false", "null", "\"a\"", "\"\"", "0"] { #expect(error(token) == nil) }
        for token in ["-", "1.", "1e", "1e+", "tru", "fals", "nul", "\"", "\"\\", "\"\\u", "\"\\u12", "\"a"] {
            #expect(error(token) != nil)
        }
        #expect(error("\"abc")?.code == .unterminatedString)
        #expect(error("\"\\u12")?.code == .unterminatedString)
    }

    @Test func `a zero byte is a character like others, not the end`() {
        #expect(error([0x5B, 0x31, 0x00, 0x5D])?.place.offset == 2)
        #expect(error([0x00])?.code == .unexpectedCharacter)
        #expect(error([0x22, 0x00, 0x22])?.code == .controlCharacter)
        #expect(error([0x31, 0x00])?.code == .textAfterValue)
    }

    @Test func `UTF-8 is checked in strings and in comments`() {
        let invalid: [[UInt8]] = [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xEF, 0xBF],
            [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xE2, 0x28, 0xA1],
        ]
        for bytes in invalid {
            #expect(error([0x22, 0x61] + bytes + [0x22])?.code == .invalidUTF8)
            #expect(error([0x22, 0x61] + bytes + [0x22])?.place.offset == 2)
            #expect(error([0x2F, 0x2F] + bytes + [0x0A, 0x31], .settings)?.code == .invalidUTF8)
            #expect(error([0x2F, 0x2A] + bytes + [0x2A, 0x2F, 0x31], .settings)?.code == .invalidUTF8)
        }
        for scalar in ["\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}"] {
            #expect(error("\"\(scalar)\"") == nil)
        }
    }

    @Test func `lone surrogates scan, since the standard allows the text`() {
        #expect(error(#"["\ud800", "\udc00", "\ud800\u0041"]"#) == nil)
    }

    @Test func `line and column count LF, CR and CRLF, and scalars`() throws {
        let document = try JSONDocument(text: "[\r\n\"é\",\r 1,\n\t2]", options: .strict)
        let places = try #require(document.root).elements.map(\.place)
        #expect(places.map(\.line) == [2, 3, 4])
        #expect(places.map(\.column) == [1, 2, 2])
        #expect(document.place(at: 1_000_000).line == 4)
    }
}
