import Foundation
import TestSupport
import Testing

@Suite struct ReadingVerbsTests {
    private let directory: TemporaryDirectory
    private let file: String

    init() throws {
        directory = try TemporaryDirectory()
        file = try directory.write(
            """
            {
              // the server
              "server": { "port": 8080, /* TCP */ "host": "127.0.0.1", },
              "editor.fontSize": 12,
              "list": [1, 2.50],
              "nothing": null,
              "text": "a\\nb",
              "big": 9007199254740993
            }

            """)
    }

    @Test(arguments: [
        ("server.port", "8080", "8080"), ("server.host", "127.0.0.1", "\"127.0.0.1\""),
        ("editor.fontSize", "12", "12"), ("nothing", "null", "null"), ("list", "[1, 2.50]", "[1, 2.50]"),
        ("text", "a\nb", "\"a\\nb\""), ("big", "9007199254740993", "9007199254740993"),
        (
            "server", "{ \"port\": 8080, /* TCP */ \"host\": \"127.0.0.1\", }",
            "{\"port\": 8080, \"host\": \"127.0.0.1\"}"
        ),
    ])
    func `get prints strings bare and other values as they are spelled, and JSON with --json`(
        key: String, plain: String, json: String
    ) async throws {
        try await Tool.expect(.done(plain + "\n"), of: "get", file, key)
        try await Tool.expect(.done(json + "\n"), of: "get", "--json", file, key)
    }

    @Test func `get finds nested and flat members alike, and an escaped dot belongs to the name`() async throws {
        try directory.write(#"{"a.b": 1, "c": {"d": 2}}"#)
        try await Tool.expect(.done("1\n"), of: "get", file, "a.b")
        try await Tool.expect(.done("1\n"), of: "get", file, #"a\.b"#)
        try await Tool.expect(.done("2\n"), of: "get", file, "c.d")
    }

    @Test func `an absent key is status 1, a missing file status 3`() async throws {
        try await Tool.expect(
            .failed(1, "rheostat: settings.json: \"server.nope\" is not set\n"), of: "get", "settings.json",
            "server.nope", in: directory.path)
        try await Tool.expect(
            .failed(3, "rheostat: none.json: No such file or directory\n"), of: "get", "none.json", "a",
            in: directory.path)
        try await Tool.expect(
            .failed(3, "rheostat: none.json: No such file or directory\n"), of: "check", "none.json", in: directory.path
        )
    }

    @Test func `a file that does not parse is status 1 with its place, as the caller named it`() async throws {
        try directory.write("{\"a\": 1,\n  oops}")
        for arguments in [["get", "settings.json", "a"], ["list", "settings.json"], ["check", "settings.json"]] {
            let outcome = try await Tool.run(Tool.process(arguments, in: directory.path))
            #expect(outcome.status == 1)
            #expect(outcome.errors.hasPrefix("settings.json:2:3: found "), "\(outcome)")
            #expect(outcome.output.isEmpty)
        }
    }

    @Test func `what is no file is status 3`() async throws {
        mkfifo(directory.file("fifo"), 0o644)
        try await Tool.expect(
            .failed(3, "rheostat: .: expected a file, found a directory\n"), of: "get", ".", "a", in: directory.path)
        try await Tool.expect(
            .failed(3, "rheostat: fifo: expected a file, found a FIFO\n"), of: "check", "fifo", in: directory.path)
        let long = String(repeating: "x", count: 5_000)
        #expect(try await Tool.run("get", long, "a").status == 3)
    }

    @Test func `get of half a surrogate pair is an error, and --json prints it as it is spelled`() async throws {
        try directory.write(#"{"a": "\ud800"}"#)
        #expect(try await Tool.run("get", file, "a").status == 1)
        try await Tool.expect(.done(#""\ud800""# + "\n"), of: "get", file, "a", "--json")
    }

    @Test func `list prints a line a leaf, all or below a prefix`() async throws {
        try await Tool.expect(
            .done(
                """
                server.port = 8080
                server.host = "127.0.0.1"
                editor.fontSize = 12
                list = [1, 2.50]
                nothing = null
                text = "a\\nb"
                big = 9007199254740993

                """), of: "list", file)
        try await Tool.expect(.done("server.port = 8080\nserver.host = \"127.0.0.1\"\n"), of: "list", file, "server")
        try await Tool.expect(.done("editor.fontSize = 12\n"), of: "list", file, "editor")
        try await Tool.expect(.done(), of: "list", file, "nope")
        try await Tool.expect(.done(), of: "list", directory.file("none.json"))
    }

    @Test func `list tells where each value stands`() async throws {
        try await Tool.expect(
            .done(
                "server.port = 8080\tsettings.json:3:23\nserver.host = \"127.0.0.1\"\tsettings.json:3:47\n"),
            of: "list", "settings.json", "server", "--origin", in: directory.path)
    }

    @Test func `list --json is one object, with places if asked for`() async throws {
        try await Tool.expect(
            .done("{\"server.port\":8080,\"server.host\":\"127.0.0.1\"}\n"), of: "list", file, "server", "--json")
        try await Tool.expect(
            .done(#"{"list":{"value":[1, 2.50],"file":"settings.json","line":5,"column":11}}"# + "\n"), of: "list",
            "settings.json", "list", "--json", "--origin", in: directory.path)
        try await Tool.expect(.done("{}\n"), of: "list", directory.file("none.json"), "--json")
    }

    @Test func `a name that list prints is one that get takes`() async throws {
        try directory.write(#"{"back\\slash": 1, "dot.ted": 2}"#)
        for line in try await Tool.run("list", file).output.split(separator: "\n") {
            let parts = line.split(separator: " ")
            try await Tool.expect(.done("\(parts[2])\n"), of: "get", file, String(parts[0]))
        }
    }

    @Test func `control characters of a file reach no terminal`() async throws {
        try directory.write("{\"a\\u001b[31m\\nb\": \"\u{9B}31m\"}")
        try await Tool.expect(.done(#"a\u001b[31m\u000ab = "\u009b31m""# + "\n"), of: "list", file)
    }

    @Test func `check says nothing of a good file`() async throws {
        try await Tool.expect(.done(), of: "check", file)
        try directory.write("")
        try await Tool.expect(.done(), of: "check", file)
    }

    @Test func `check warns of a key that is set twice, and the last one counts`() async throws {
        try directory.write("{\"a\": 1, \"b\": {\"c\": 2},\n \"a\": 3, \"b.c\": 4}")
        try await Tool.expect(
            Tool.Outcome(
                status: 0, output: "",
                errors: """
                    settings.json:2:2: warning: a is set 2 times; this one counts
                    settings.json:2:10: warning: b.c is set 2 times; this one counts

                    """), of: "check", "settings.json", in: directory.path)
        try await Tool.expect(.done("3\n"), of: "get", file, "a")
    }

    @Test func `check refuses what is no object, random bytes and endless nesting`() async throws {
        for text in ["[1]", "\u{0}\u{1}\u{2}", String(repeating: "[", count: 100_000)] {
            try directory.write(text)
            let outcome = try await Tool.run("check", "settings.json", in: directory.path)
            #expect(outcome.status == 1 && outcome.errors.hasPrefix("settings.json:1:"), "\(outcome)")
        }
    }
}
