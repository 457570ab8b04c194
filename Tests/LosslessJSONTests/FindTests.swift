import LosslessJSON
import Testing

@Suite struct FindTests {
    private func find(_ text: String, _ path: JSONPath) throws -> (value: String?, count: Int) {
        let match = try JSONDocument(text: text, options: .settings).find(path)
        return (match?.value.text, match?.spellings.count ?? 0)
    }

    @Test func `a path is found nested, flat, and partly flat at any level`() throws {
        #expect(try find(#"{"a": {"b": {"c": 1}}}"#, ["a", "b", "c"]) == ("1", 1))
        #expect(try find(#"{"a.b.c": 1}"#, ["a", "b", "c"]) == ("1", 1))
        #expect(try find(#"{"a.b": {"c": 1}}"#, ["a", "b", "c"]) == ("1", 1))
        #expect(try find(#"{"a": {"b.c": 1}}"#, ["a", "b", "c"]) == ("1", 1))
        #expect(try find(#"{"a": {"b": 1}}"#, ["a", "b", "c"]) == (nil, 0))
        #expect(try find(#"{"ab": 1, "a.bc": 2}"#, ["a", "b"]) == (nil, 0))
    }

    @Test func `a name with a dot matches only as that name`() throws {
        #expect(try find(#"{"a": {"b": 1}}"#, ["a.b"]) == (nil, 0))
        #expect(try find(#"{"a.b": 1}"#, ["a.b"]) == ("1", 1))
        #expect(try find(#"{"a.b.c": 1}"#, ["a.b", "c"]) == ("1", 1))
    }

    @Test func `the last of several spellings counts`() throws {
        #expect(try find(#"{"a": {"b": 1}, "a.b": 2}"#, ["a", "b"]) == ("2", 2))
        #expect(try find(#"{"a.b": 2, "a": {"b": 1, "b": 3}}"#, ["a", "b"]) == ("3", 3))
        #expect(try find(#"{"a": {"b": 1}, "a": {}}"#, ["a", "b"]) == ("1", 1))
    }

    @Test func `names are compared with their escapes resolved`() throws {
        #expect(try find(#"{"\u0061\u002eb": 1}"#, ["a", "b"]) == ("1", 1))
        #expect(try find(#"{"\ud800": 1}"#, ["\u{FFFD}"]) == (nil, 0))
        #expect(try find(#"{"": {"": 1}}"#, ["", ""]) == ("1", 1))
    }

    @Test func `array elements are found by index`() throws {
        #expect(try find(#"[10, {"a": [1, 2]}]"#, [1, "a", 1]) == ("2", 1))
        #expect(try find("[10]", [1]) == (nil, 0))
        #expect(try find("[10]", [-1]) == (nil, 0))
        #expect(try find("{}", [0]) == (nil, 0))
        #expect(try find("1", []) == ("1", 1))
        #expect(try find("", ["a"]) == (nil, 0))
    }

    @Test func `wide objects give the same answers by their index as by walking`() throws {
        var text = "{"
        for number in 0..<500 { text += "\"key.\(number)\": \(number), \"k\(number)\": {\"x.y\": \(number)}, " }
        text += #""key.7": "last", "key": {"9": "nested"}}"#
        let document = try JSONDocument(text: text, options: .settings)
        for _ in 0..<3 {
            for number in 0..<500 where number != 7 && number != 9 {
                #expect(document.value(at: ["key", .name("\(number)")])?.text == "\(number)")
                #expect(document.value(at: [.name("k\(number)"), "x", "y"])?.text == "\(number)")
            }
            #expect(document.find(["key", "7"])?.spellings.count == 2)
            #expect(document.value(at: ["key", "7"])?.text == "\"last\"")
            #expect(document.find(["key", "9"])?.spellings.map(\.isFlat) == [true, false])
            #expect(document.value(at: ["key", "500"]) == nil)
        }
    }

    @Test func `a path is reported as a duplicate with all its places`() throws {
        let document = try JSONDocument(
            text: #"{"a": {"b": 1}, "c": [{"x": 1, "x": 2}], "a.b": 2, "b": 1, "d": {"b": 1}}"#, options: .strict)
        let duplicates = document.duplicates
        #expect(duplicates.map(\.path) == [["a.b"], ["c", 0, "x"]])
        #expect(duplicates.map { $0.spellings.map(\.place.column) } == [[8, 42], [24, 32]])
        #expect(
            try JSONDocument(text: #"{"a": {"b": 1}, "c": [{"b": 1}, {"b": 1}]}"#, options: .strict).duplicates.isEmpty)
    }
}
