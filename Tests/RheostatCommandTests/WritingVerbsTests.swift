import Foundation
import TestSupport
import Testing

@Suite struct WritingVerbsTests {
    private let directory: TemporaryDirectory
    private let file: String

    init() throws {
        directory = try TemporaryDirectory()
        file = directory.file("settings.json")
    }

    @Test func `set takes JSON as JSON and the rest as strings, and keeps every other byte`() async throws {
        try directory.write("{\r\n  // kept\r\n  \"a\": 1, /* too */ \"b\": [1,],\r\n}\r\n")
        try await Tool.expect(.done(), of: "set", file, "a", "{\"x\": null}", "b", "not json", "c", "")
        #expect(
            try directory.read()
                == "{\r\n  // kept\r\n  \"a\": {\"x\": null}, /* too */ \"b\": \"not json\",\r\n  \"c\": \"\",\r\n}\r\n"
        )
    }

    @Test func `set --string makes strings of all values`() async throws {
        try await Tool.expect(.done(), of: "set", "--string", file, "a", "1", "b", "true")
        try await Tool.expect(.done("a = \"1\"\nb = \"true\"\n"), of: "list", file)
    }

    @Test func `set makes file, directory and objects`() async throws {
        let file = directory.file("new/settings.json")
        try await Tool.expect(.done(), of: "set", file, "server.tls.mode", "strict")
        try await Tool.expect(.done(#"{"tls": {"mode": "strict"}}"# + "\n"), of: "get", file, "server", "--json")
    }

    @Test func `negative numbers need no dashes before them, other dashes do`() async throws {
        try await Tool.expect(.done(), of: "set", file, "a", "-1", "b", "-", "--", "c", "--json")
        try await Tool.expect(.done(#"{"a":-1,"b":"-","c":"--json"}"# + "\n"), of: "list", file, "--json")
        #expect(try await Tool.run("set", file, "a", "-x").status == 2)
        try await Tool.expect(.done("-6\n"), of: "increment", file, "a", "-5")
    }

    @Test func `all pairs of a set are written, or none`() async throws {
        try directory.write(#"{"a": 1, "b": 2}"#)
        let outcome = try await Tool.run("set", "settings.json", "b", "3", "a.x", "4", in: directory.path)
        #expect(outcome == .failed(1, "settings.json:1:7: cannot set a.x: it leads through a number\n"), "\(outcome)")
        #expect(try directory.read() == #"{"a": 1, "b": 2}"#)
    }

    @Test func `a file that does not parse is refused and not touched`() async throws {
        try directory.write(#"{"a": 1,, }"#)
        for arguments in [["set", file, "a", "2"], ["unset", file, "a"], ["increment", file, "a"]] {
            let outcome = try await Tool.run(Tool.process(arguments))
            #expect(outcome.status == 1 && outcome.errors.hasPrefix(file + ":1:9: found"), "\(outcome)")
        }
        #expect(try directory.read() == #"{"a": 1,, }"#)
    }

    @Test func `what changes nothing writes nothing`() async throws {
        try directory.write(#"{"a": 1.0}"#)
        let before = try identity()
        try await Tool.expect(.done(), of: "set", file, "a", "1")
        try await Tool.expect(.done(), of: "unset", file, "b", "c.d")
        #expect(try identity() == before)
        try await Tool.expect(.done(), of: "unset", directory.file("none.json"), "a")
        #expect(try directory.names() == ["settings.json"])
    }

    @Test func `unset removes every spelling of all its keys`() async throws {
        try directory.write(#"{"a": {"b": 1, "c": 2}, "a.b": 3, "d": 4, "a": {"b": 5}}"#)
        try await Tool.expect(.done(), of: "unset", file, "a.b", "d")
        try await Tool.expect(.done(#"{"a.c":2}"# + "\n"), of: "list", file, "--json")
    }

    @Test func `increment adds to an integer and prints the sum`() async throws {
        try await Tool.expect(.done("1\n"), of: "increment", file, "n")
        try await Tool.expect(.done("42\n"), of: "increment", file, "n", "41")
        try directory.write(#"{"n": 7.0}"#)
        try await Tool.expect(.done("-3\n"), of: "increment", file, "n", "--", "-10")
        #expect(try directory.read() == #"{"n": -3}"#)
    }

    @Test(arguments: ["\"x\"", "null", "1.5", "true", "[1]", "{\"a\": 1}", "9223372036854775808", "1e99"])
    func `increment refuses what is no integer`(value: String) async throws {
        let text = "{\"n\": \(value)}"
        try directory.write(text)
        try await Tool.expect(
            .failed(1, "rheostat: settings.json: \"n\" is no integer of 64 bits\n"), of: "increment", "settings.json",
            "n", in: directory.path)
        #expect(try directory.read() == text)
    }

    @Test func `increment refuses to overflow`() async throws {
        for (number, step) in [("9223372036854775807", "1"), ("-9223372036854775808", "-1")] {
            try directory.write("{\"n\": \(number)}")
            #expect(try await Tool.run("increment", file, "n", step).status == 1)
            #expect(try directory.read() == "{\"n\": \(number)}")
        }
        #expect(try await Tool.run("increment", file, "n", "9223372036854775808").status == 2)
        #expect(try await Tool.run("increment", file, "n", "x").status == 2)
    }

    @Test func `increments of several processes are all counted`() async throws {
        let file = file
        let sums = try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    var sums: [String] = []
                    for _ in 0..<5 { sums.append(try await Tool.run("increment", file, "n").output) }
                    return sums
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(sums.compactMap { Int($0.dropLast()) }.sorted() == Array(1...20))
        #expect(try directory.names() == ["settings.json"])
    }

    private func identity() throws -> [String] {
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        return ["\(attributes[.systemFileNumber] ?? 0)", "\(attributes[.modificationDate] ?? 0)", try directory.read()]
    }
}
