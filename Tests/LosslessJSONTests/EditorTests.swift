import LosslessJSON
import Testing

@Suite struct EditorTests {
    private func edit(_ text: String, _ edits: JSONEdit...) throws -> String {
        let document = try JSONDocument(text: text, options: .settings)
        return String(decoding: try document.edited(edits).bytes, as: UTF8.self)
    }

    private func set(_ path: JSONPath, _ text: String) -> JSONEdit { .set(path, text: Array(text.utf8)) }

    private func failure(_ text: String, _ edits: JSONEdit...) -> JSONEditError? {
        guard let document = try? JSONDocument(text: text, options: .settings) else { return nil }
        do {
            _ = try document.edited(edits)
            return nil
        } catch {
            return error
        }
    }

    // MARK: Comments stay with their members

    @Test func `J1 a comment behind the last member stays with it when one is appended`() throws {
        #expect(
            try edit("{\n  \"port\": 8080 // default port\n}\n", set(["host"], "\"x\""))
                == "{\n  \"port\": 8080, // default port\n  \"host\": \"x\"\n}\n")
    }

    @Test func `J2 removing the first member leaves the comment above the next`() throws {
        #expect(
            try edit("{\n  // a\n  \"a\": 1,\n  // b\n  \"b\": 2\n}", .remove(["a"])) == "{\n  // b\n  \"b\": 2\n}")
    }

    @Test func `J3 a heading cut off by a blank line stays`() throws {
        #expect(
            try edit("{\n  // Heading\n\n  // about a\n  /* more */\n  \"a\": 1\n}", .remove(["a"]))
                == "{\n  // Heading\n\n}")
    }

    @Test func `J4 the comment on its line goes with a member, the one above the next stays`() throws {
        #expect(
            try edit("{\n  // a\n  \"a\": 1, // one\n  // b\n  \"b\": 2 // two\n}", .remove(["a"]))
                == "{\n  // b\n  \"b\": 2 // two\n}")
    }

    @Test func `J5 removing an element keeps the comment of its neighbour`() throws {
        #expect(
            try edit("[\n  \"numpy\", // arrays\n  \"requests\",\n  \"x\"\n]", .remove([1]))
                == "[\n  \"numpy\", // arrays\n  \"x\"\n]")
    }

    @Test func `J6 removing the last element takes its comma along`() throws {
        #expect(try edit("[1,2]", .remove([1])) == "[1]")
        #expect(try edit("[1,2]", .remove([0])) == "[2]")
        #expect(try edit("[1]", .remove([0])) == "[]")
    }

    @Test func `J7 two removals in a batch do not eat the same comma`() throws {
        #expect(try edit(#"{"a":1,"b":2}"#, .remove(["a"]), .remove(["b"])) == "{}")
        #expect(try edit(#"{"a":1,"b":2}"#, .remove(["b"]), .remove(["a"])) == "{}")
        #expect(try edit("{\n  \"a\":1,\n  \"b\":2\n}", .remove(["a"]), .remove(["b"])) == "{\n}")
        #expect(
            try edit("{\n  \"a\":1,\n  \"b\":2,\n  \"c\":3\n}", .remove(["c"]), .remove(["b"])) == "{\n  \"a\":1\n}")
    }

    @Test func `J8 and J22 no token ever stands behind a line comment`() throws {
        #expect(
            try edit("{\"settings\": // text\n  {}}", set(["settings", "a"], "1"))
                == "{\"settings\": // text\n  {\"a\": 1}}")
        #expect(try edit("[\n  1 // one\n]", set([1], "2")) == "[\n  1, // one\n  2\n]")
        #expect(try edit("{ \"a\": 1 // c\n}", set(["b"], "2")) == "{ \"a\": 1, // c\n  \"b\": 2\n}")
        #expect(try edit("{ \"a\": 1, // c\n  \"b\": 2 }", .remove(["b"])) == "{ \"a\": 1 // c\n }")
        #expect(try edit("{ // c\n}", set(["b"], "2")) == "{ // c\n  \"b\": 2\n}")
        #expect(try edit("// c", set(["b"], "2")) == "// c\n{\n  \"b\": 2\n}")
    }

    @Test func `J9 removing a path takes that member only`() throws {
        #expect(try edit(#"{"a": {"b": 1, "c": 2}}"#, .remove(["a", "b"])) == #"{"a": {"c": 2}}"#)
        #expect(try edit(#"{"a": {"b": 1}}"#, .remove(["a", "b"])) == #"{"a": {}}"#)
    }

    @Test func `J11 of a repeated name the last is set, and all are removed`() throws {
        #expect(try edit(#"{"a": 1, "a": 2}"#, set(["a"], "3")) == #"{"a": 1, "a": 3}"#)
        #expect(try edit(#"{"a": 1, "b": 0, "a": 2}"#, .remove(["a"])) == #"{"b": 0}"#)
        #expect(try edit("{\n\"a\": 1,\n\"b\": 0,\n\"a\": 2\n}", .remove(["a"])) == "{\n\"b\": 0\n}")
        #expect(
            try edit(#"{"a": {"b": 1}, "a.b": 2}"#, set(["a", "b"], "3"), .remove(["x"]))
                == #"{"a": {"b": 1}, "a.b": 3}"#)
        #expect(try edit(#"{"a": {"b": 1}, "a.b": 2}"#, .remove(["a", "b"])) == #"{"a": {}}"#)
    }

    @Test func `J12 and J23 a trailing comma stays the habit of its container`() throws {
        #expect(try edit("{\n  \"a\": 1,\n}", set(["b"], "2")) == "{\n  \"a\": 1,\n  \"b\": 2,\n}")
        #expect(try edit("{\n  \"a\": 1,\n  \"b\": 2,\n}", .remove(["b"])) == "{\n  \"a\": 1,\n}")
        #expect(try edit("[1, 2, ]", set([2], "3")) == "[1, 2, 3, ]")
        #expect(try edit("{ \"a\": 1, }", set(["b"], "2")) == "{ \"a\": 1, \"b\": 2, }")
    }

    @Test func `J14 and J33 setting a value changes its bytes only`() throws {
        let text = "{ \"a\" /* 1 */ : /* 2 */ 1.0 /* 3 */ , // 4\n \"b\" : [ 1,2 ] }"
        #expect(try edit(text, set(["a"], "2")) == text.replacing("1.0", with: "2"))
        #expect(try edit(text, set(["b"], "{}")) == text.replacing("[ 1,2 ]", with: "{}"))
    }

    @Test func `J10 and J15 a text with an error has no document to edit`() {
        #expect(failure("{\"a\": 1} x", set(["a"], "2")) == nil)
        #expect(throws: JSONSyntaxError.self) { try JSONDocument(text: "{\"a\": 1} x", options: .settings) }
    }

    @Test func `J18 removing a member takes only what it owns`() throws {
        let text =
            "{\n  // about the file\n\n  \"a\": {\n    // inside\n    \"x\": 1\n  },\n\n  // about b\n  \"b\": 2\n}"
        #expect(
            try edit(text, .remove(["a"])) == "{\n  // about the file\n\n\n  // about b\n  \"b\": 2\n}")
    }

    @Test func `J19 a missing final line end is not added`() throws {
        #expect(try edit("{\n  \"a\": 1\n}", set(["a"], "2")) == "{\n  \"a\": 2\n}")
        #expect(try edit("{\n  \"a\": 1\n}", set(["b"], "2")) == "{\n  \"a\": 1,\n  \"b\": 2\n}")
    }

    @Test func `J20 new lines end as most lines of the text do`() throws {
        #expect(try edit("{\r\n\t\"a\": 1\r\n}", set(["b"], "2")) == "{\r\n\t\"a\": 1,\r\n\t\"b\": 2\r\n}")
        #expect(
            try edit("{\r\n  \"a\": 1,\r\n  \"b\": 2\n}", set(["c", "d"], "3"))
                == "{\r\n  \"a\": 1,\r\n  \"b\": 2,\r\n  \"c\": {\r\n    \"d\": 3\r\n  }\n}")
    }

    @Test(arguments: [
        "{\r\n    \"x\": 1,   \"y\": 2   \r\n}", "\u{FEFF}{ }", "// a\r\n// b\r\n{ /* c */ } // d", "{\"a\":1}  \n\n",
        #"{"a": 1.0, "b": 1E5, "c": "\/\u00e9", "a": 2}"#, "", "\n", "// only",
    ])
    func `J16 J24 J25 J26 J28 J30 no edit, and no change, is no change of a byte`(text: String) throws {
        let document = try JSONDocument(text: text, options: .settings)
        #expect(try document.edited([]) === document)
        #expect(try document.edited([.remove(["absent"])]) === document)
        if document.value(at: ["a"]) != nil {
            let same = document.value(at: ["a"])?.bytes ?? []
            #expect(try document.edited([.set(["a"], text: same)]) === document)
        }
    }

    @Test func `J25 an edit keeps the byte order mark`() throws {
        #expect(try edit("\u{FEFF}{\n  \"a\": 1\n}", set(["b"], "2")) == "\u{FEFF}{\n  \"a\": 1,\n  \"b\": 2\n}")
        #expect(try edit("\u{FEFF}", set(["b"], "2")) == "\u{FEFF}{\n  \"b\": 2\n}\n")
        #expect(try edit("\u{FEFF}{\"a\": 1}", .remove(["a"])) == "\u{FEFF}{}")
    }

    @Test func `J32 a batch whose third edit fails changes nothing`() {
        let error = failure(#"{"a": 1}"#, set(["a"], "2"), set(["b"], "3"), set(["a", "x"], "4"))
        #expect(error == .notAContainer(path: ["a", "x"], found: .number, place: .init(offset: 6, line: 1, column: 7)))
        #expect(failure("[]", set(["a"], "1")) != nil)
        #expect(failure("[1]", set([2], "1")) == .noSuchElement(path: [2]))
        #expect(failure("{}", set(["a", 0], "1")) == .noSuchElement(path: ["a", 0]))
        #expect(failure("{}", .remove([])) == .notAMember(path: []))
        #expect(failure(#"{"a": null}"#, set(["a", "b"], "1")) != nil)
    }

    @Test func `J39 J40 new lines are indented as their siblings, with tabs and three spaces too`() throws {
        #expect(
            try edit("{\n\t\"a\": {\n\t\t\"b\": 1\n\t}\n}", set(["a", "c", "d"], "2"))
                == "{\n\t\"a\": {\n\t\t\"b\": 1,\n\t\t\"c\": {\n\t\t\t\"d\": 2\n\t\t}\n\t}\n}")
        #expect(
            try edit("{\n   \"a\": {\n   }\n}", set(["a", "b"], "2"))
                == "{\n   \"a\": {\n      \"b\": 2\n   }\n}")
        #expect(try edit("{\r\n}", set(["a"], "1")) == "{\r\n  \"a\": 1\r\n}")
    }

    // MARK: Where a new member goes

    @Test func `an absent path goes where its parent stands, nested or partly flat`() throws {
        #expect(try edit(#"{"a": {"b": {}}}"#, set(["a", "b", "c"], "1")) == #"{"a": {"b": {"c": 1}}}"#)
        #expect(try edit(#"{"a.b": {"x": 1}}"#, set(["a", "b", "c"], "1")) == #"{"a.b": {"x": 1, "c": 1}}"#)
        #expect(
            try edit(#"{"a.x": 0, "a": {"b": {}}}"#, set(["a", "b", "c"], "1"))
                == #"{"a.x": 0, "a": {"b": {"c": 1}}}"#)
    }

    @Test func `an absent path goes flat beside its last flat sibling`() throws {
        #expect(
            try edit("{\n  \"a.b.x\": 1, // x\n  \"a.b.y\": 2,\n  \"z\": 3\n}", set(["a", "b", "c"], "4"))
                == "{\n  \"a.b.x\": 1, // x\n  \"a.b.y\": 2,\n  \"a.b.c\": 4,\n  \"z\": 3\n}")
        #expect(try edit(#"{"a.x": 1, "z": 3}"#, set(["a", "c"], "4")) == #"{"a.x": 1, "a.c": 4, "z": 3}"#)
        #expect(try edit(#"{"a": {"b.x": 1}}"#, set(["a", "b", "c"], "4")) == #"{"a": {"b.x": 1, "b.c": 4}}"#)
        #expect(try edit(#"{"a.x": 1}"#, set(["a", "b", "c"], "4")) == #"{"a.x": 1, "a": { "b": { "c": 4 } }}"#)
    }

    @Test func `missing parents are made once for all edits of a batch`() throws {
        let edits = [set(["a", "b", "c"], "1"), set(["a", "d"], "2"), set(["a", "b", "e"], "3"), set(["f"], "4")]
        let expected =
            "{\n  \"a\": {\n    \"b\": {\n      \"c\": 1,\n      \"e\": 3\n    },\n    \"d\": 2\n  },\n  \"f\": 4\n}\n"
        for text in ["", "{\n}\n"] {
            let document = try JSONDocument(text: text, options: .settings)
            #expect(String(decoding: try document.edited(edits).bytes, as: UTF8.self) == expected)
        }
    }

    @Test func `one-line objects stay on one line`() throws {
        #expect(try edit("{}", set(["a"], "1")) == #"{"a": 1}"#)
        #expect(try edit("{ }", set(["a"], "1")) == #"{ "a": 1 }"#)
        #expect(try edit("{ /* c */ }", set(["a"], "1")) == #"{ /* c */ "a": 1 }"#)
        #expect(try edit("{/* c */}", set(["a"], "1")) == #"{/* c */ "a": 1}"#)
        #expect(try edit(#"{ "a": 1 }"#, set(["b"], "2")) == #"{ "a": 1, "b": 2 }"#)
        #expect(try edit(#"{ "a": 1 }"#, set(["b", "c"], "2")) == #"{ "a": 1, "b": { "c": 2 } }"#)
    }

    @Test(arguments: [
        "{}", "{ }", "{\n}", "{ /* c */ }", "{/* c */}", "{\n  // c\n}", "{ // c\n}", #"{"a": 1}"#, #"{ "a": 1 }"#,
        "{ \"a\": 1, }", "{\n  \"a\": 1\n}", "{\n  \"a\": 1,\n}", "{\n  \"a\": 1 // c\n}", "{\n  \"a\": 1, // c\n}",
        "{\n  \"a\": 1\n  // c\n}", "{\n  \"a\": 1   \n}", "{\n  \"a\": 1,   \n}", "{\n  \"a\": 1 }", "{ \"a\": 1\n}",
        "{\n  \"a\": 1 /* c */\n}", "{\n  \"a\": 1 /* c\n d */\n}", #"{"a": 1 /* c */}"#, #"{"a": 1 /* c */ }"#,
        "{\n  \"a\": 1, \"b\": 2\n}", "{\n  \"a\": 1\n  , \"b\": 2\n}", "{\"a\": {\n \"b\": 1\n}}", "{\r\n}", "{\n\n}",
        "{ \"a\": 1 // c\n}", "{\n  \"a\": 1 // c\n  ,\n}", "{\"a\": 1\n,}", "{  }", "{\"a\": 1,}", "{\t\"a\": 1\t}",
        "{\n  \"a\": 1, /* c */ // d\n}", "{\n  \"a\"\n:\n1\n}",
    ])
    func `G5 setting an absent member and removing it restores every byte`(text: String) throws {
        let grown = try edit(text, set(["new"], "[true]"))
        #expect(try edit(grown, .remove(["new"])) == text, "\(grown)")
    }

    // MARK: Other edits

    @Test func `a rename changes the name only, in every spelling`() throws {
        #expect(
            try edit("{ /* c */ \"a\" : 1 // d\n}", .rename(["a"], to: "b\"")) == "{ /* c */ \"b\\\"\" : 1 // d\n}")
        #expect(
            try edit(#"{"a.x": 1, "a": {"x": 2}}"#, .rename(["a", "x"], to: "y")) == #"{"a.y": 1, "a": {"y": 2}}"#)
        #expect(failure(#"{"a": 1, "b": 2}"#, .rename(["a"], to: "b")) == .nameTaken(path: ["b"]))
        #expect(failure("{}", .rename(["a"], to: "b")) == .noSuchMember(path: ["a"]))
        #expect(failure("[1]", .rename([0], to: "b")) == .notAMember(path: [0]))
        #expect(try edit(#"{"a": 1}"#, .rename(["a"], to: "a")) == #"{"a": 1}"#)
    }

    @Test func `a member moves with its comments and is indented anew`() throws {
        let text = """
            {
              // about a
              "a": {
                // inside
                "b": [
                  1
                ], // end
                "c": 2
              }
            }
            """
        #expect(
            try edit(text, .move(["a", "b"], to: ["d"])) == """
                {
                  // about a
                  "a": {
                    "c": 2
                  },
                  // inside
                  "d": [
                    1
                  ] // end
                }
                """)
        #expect(
            try edit("{\n  // one\n  \"a\": 1, // two\n  \"o\": {}\n}", .move(["a"], to: ["o", "b"]))
                == "{\n  \"o\": {/* one */ \"b\": 1 /* two */}\n}")
        #expect(try edit(#"{"a": 1}"#, .move(["a"], to: ["b"])) == #"{"b": 1}"#)
        #expect(try edit(#"{"a": 1}"#, .move(["a"], to: ["a", "b"])) == #"{"a": { "b": 1 }}"#)
        #expect(failure(#"{"a": 1, "b": {"c": 1}}"#, .move(["a"], to: ["b", "c"])) == .nameTaken(path: ["b", "c"]))
        #expect(failure(#"{"a": 1}"#, .move(["x"], to: ["b", "c"])) == .noSuchMember(path: ["x"]))
    }

    @Test func `elements are inserted, appended, removed and moved`() throws {
        func insert(_ path: JSONPath, _ text: String) -> JSONEdit { .insert(path, text: Array(text.utf8)) }
        #expect(try edit("[1, 3]", insert([1], "2")) == "[1, 2, 3]")
        #expect(try edit("[1, 3]", insert([0], "0")) == "[0, 1, 3]")
        #expect(try edit("[1, 3]", insert([2], "4")) == "[1, 3, 4]")
        #expect(try edit("[]", insert([0], "1")) == "[1]")
        #expect(
            try edit("[ // list\n  // one\n  1, // uno\n  2\n]", insert([0], "0"))
                == "[ // list\n  0,\n  // one\n  1, // uno\n  2\n]")
        #expect(
            try edit("[\n  // one\n  1, // uno\n  2\n]", .move([0], to: [1])) == "[\n  2,\n  // one\n  1 // uno\n]")
        #expect(try edit("[1, 2, 3]", .remove([0]), .remove([0])) == "[3]")
        #expect(try edit("[1, 2]", .remove([0]), set([0], "5"), set([1], "6")) == "[5, 6]")
        #expect(failure("[1]", insert([3], "2")) == .noSuchElement(path: [3]))
    }

    @Test func `adjusting edits structures where they differ and leaves the rest alone`() throws {
        func adjust(_ path: JSONPath, _ text: String) -> JSONEdit { .adjust(path, text: Array(text.utf8)) }
        let text = """
            {
              "list": [
                1.0, // one
                2, // two
                3
              ],
              "map": {
                "a": 1e2, // hundred
                // two
                "b": 2,
                "c": {"d": [1,2,3], "e": "\\u0041"}
              }
            }
            """
        #expect(try edit(text, adjust(["list"], "[1, 2, 3]")) == text)
        #expect(try edit(text, adjust(["list"], "[1, 3]")) == text.replacing("    2, // two\n", with: ""))
        #expect(
            try edit(text, adjust(["list"], "[1, 9, 2, 3]"))
                == text.replacing("    2, //", with: "    9,\n    2, //"))
        #expect(try edit(text, adjust(["list"], "[0, 1, 2, 3]")).contains("[\n    0,\n    1.0, // one\n    2, //"))
        #expect(
            try edit(text, adjust(["map"], #"{"a": 100, "c": {"e": "A", "d": [1, 3], "f": 1}, "g": null}"#))
                == text.replacing("    // two\n    \"b\": 2,\n", with: "")
                .replacing(
                    #"{"d": [1,2,3], "e": "\u0041"}"#,
                    with: "{\"d\": [1,3], \"e\": \"\\u0041\", \"f\": 1},\n    \"g\": null"))
        #expect(try edit(text, adjust(["new"], "1")).contains("  },\n  \"new\": 1\n}"))
        #expect(try edit(#"{"a": [1, 2, 3, 4]}"#, adjust(["a"], "[]")) == #"{"a": []}"#)
        #expect(try edit(#"{"a": {"x": 1, "y": 2, "z": 3}}"#, adjust(["a"], #"{"w": 4}"#)) == #"{"a": {"w": 4}}"#)
    }

    @Test func `a value that is not one JSON value is refused`() {
        for text in ["", "1, 2", "1} , {", "\"a", "nan", "// c", "[1,,]"] {
            if case .invalidValue = failure(#"{"a": 0}"#, set(["a"], text)) { continue }
            Issue.record("\(text) was not refused")
        }
        #expect(throws: JSONEditError.self) {
            try JSONDocument(text: "{}", options: .strict).edited([.set(["a"], text: Array("[1,]".utf8))])
        }
    }

    @Test func `white space and comments around a value are left out`() throws {
        #expect(try edit(#"{"a": 0}"#, set(["a"], " // c\n [1, /* d */ 2] // e")) == #"{"a": [1, /* d */ 2]}"#)
    }

    @Test func `an edit that would make the text too deep is refused`() {
        let deep = String(repeating: "[", count: 511) + String(repeating: "]", count: 511)
        if case .unreadableResult(let error) = failure(#"{"a": {}}"#, set(["a", "b"], deep)) {
            #expect(error.code == .tooDeep)
        } else {
            Issue.record("not refused")
        }
    }

    @Test func `the root can be set`() throws {
        #expect(try edit("// c\n1 // d", set([], "{}")) == "// c\n{} // d")
        #expect(try edit("// c\n", set([], "[1]")) == "// c\n[1]\n")
    }

    // MARK: The text of new documents

    @Test func `a new document is laid out with descriptions as comments`() throws {
        let text = try JSONFormatter.text(of: [
            .init(path: ["server", "port"], text: Array("8080".utf8), comment: "TCP port to listen on"),
            .init(path: ["log"], text: Array("\"info\"".utf8)),
            .init(path: ["server", "host"], text: Array("null".utf8), comment: "Two\nlines"),
        ])
        #expect(
            String(decoding: text, as: UTF8.self) == """
                {
                  "server": {
                    // TCP port to listen on
                    "port": 8080,
                    // Two
                    // lines
                    "host": null
                  },
                  "log": "info"
                }

                """)
        #expect(try JSONFormatter.text(of: []) == Array("{}\n".utf8))
        #expect(throws: JSONEditError.nameTaken(path: ["a", "b"])) {
            try JSONFormatter.text(of: [.init(path: ["a"], text: [0x31]), .init(path: ["a", "b"], text: [0x31])])
        }
    }
}
