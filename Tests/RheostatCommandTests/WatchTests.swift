import Foundation
import TestSupport
import Testing

@Suite struct WatchTests {
    private let directory: TemporaryDirectory
    private let file: String
    private let ready = #"{"event":"ready"}"#
    private let resolved = #"{"event":"resolved"}"#

    init() throws {
        directory = try TemporaryDirectory()
        file = try directory.write(#"{"a": 1, "s": {"b": "x"}}"#)
    }

    private func value(_ key: String, _ value: String?) -> String {
        #"{"event":"value","key":"\#(key)""# + (value.map { #","value":\#($0)"# } ?? "") + "}"
    }

    private func change(_ key: String, _ old: String?, _ new: String?, _ revision: Int) -> String {
        #"{"event":"change","key":"\#(key)""# + (old.map { #","old":\#($0)"# } ?? "")
            + (new.map { #","new":\#($0)"# } ?? "")
            + #","origin":"file","revision":\#(revision)}"#
    }

    @Test func `first the values, then ready, then each change of another program`() async throws {
        let watching = try Watching(file, "a", "zz", "a", "s.b", "--json")
        #expect(
            try await watching.next(4) == [value("a", "1"), value("zz", nil), value("s.b", #""x""#), ready])
        try directory.replace(with: #"{"a": 2, "s": {"b": "x"}, "other": 1}"#)
        #expect(try await watching.next() == change("a", "1", "2", 2))
        try directory.write(#"{"a": 2, "s": {"b": "x"}, "zz": [1, {"q": 2}]}"#)
        #expect(try await watching.next() == change("zz", nil, #"[1, {"q": 2}]"#, 3))
        try directory.replace(with: #"{"a": 2, "s.b": "y"}"#)
        #expect(
            try await watching.next(2)
                == [change("zz", #"[1, {"q": 2}]"#, nil, 4), change("s.b", #""x""#, #""y""#, 4)])
        let end = try await watching.end(by: SIGTERM)
        #expect(end.status == 0 && end.rest == [])
    }

    @Test func `a set by another process is one commit`() async throws {
        let watching = try Watching(file, "--json")
        #expect(try await watching.next(3) == [value("a", "1"), value("s.b", #""x""#), ready])
        #expect(try await Tool.run("set", file, "a", "5", "s.c", "true") == .done())
        #expect(try await watching.next(2) == [change("a", "1", "5", 2), change("s.c", nil, "true", 2)])
        let end = try await watching.end(by: SIGINT)
        #expect(end.status == 0 && end.rest == [])
    }

    @Test func `objects can be followed as a whole`() async throws {
        let watching = try Watching(file, "s", "--json")
        #expect(try await watching.next(2) == [value("s", #"{"b": "x"}"#), ready])
        try directory.replace(with: #"{"a": 3, "s": {"b": "x"}}"#)
        try directory.replace(with: #"{"a": 3, "s": { "c": 1, "b": "x" }}"#)
        let line = try await watching.next()
        #expect(line?.hasPrefix(#"{"event":"change","key":"s","old":{"b": "x"},"new":{"c": 1, "b": "x"},"#) == true)
    }

    @Test(arguments: [[], ["s", "new", "a"]])
    func `comments, order and spelling are no changes`(keys: [String]) async throws {
        let watching = try Watching([file, "--json"] + keys)
        while let line = try await watching.next(), line != ready {}
        // The new member is told, so this state was seen; the old ones only look different.
        try directory.replace(with: "// new\n" + #"{"s": {"b": "\u0078"}, "new": 0, "a": 1.0}"#)
        #expect(try await watching.next() == change("new", nil, "0", 2))
        try directory.replace(with: #"{"s": {"b": "x"}, "new": 0, "a": 2}"#)
        #expect(try await watching.next() == change("a", "1.0", "2", 3))
        #expect(try await watching.end(by: SIGTERM).rest == [])
    }

    @Test func `a bad edit is one problem with its place, and resolved once`() async throws {
        let watching = try Watching(file, "a", "--json")
        _ = try await watching.next(2)
        try directory.replace(with: "{\n  \"a\": oops\n}")
        let problem = try #require(try await watching.next())
        #expect(problem.hasPrefix(#"{"event":"problem","kind":"syntax","message":"found"#))
        #expect(problem.hasSuffix(#""file":"\#(file)","line":2,"column":8}"#))
        // Another problem in the place of the first: the file is not usable in between.
        try directory.replace(with: "[1]")
        let second = try #require(try await watching.next())
        #expect(second.hasPrefix(#"{"event":"problem","kind":"invalid","#))
        try directory.replace(with: #"{"a": 1}"#)
        #expect(try await watching.next() == resolved)
        #expect(try await watching.end(by: SIGTERM).rest == [])
    }

    @Test func `a file that is gone is told, and its return too`() async throws {
        let watching = try Watching(file, "a", "--json")
        _ = try await watching.next(2)
        try FileManager.default.removeItem(atPath: file)
        #expect(try await watching.next()?.hasPrefix(#"{"event":"problem","kind":"missing","#) == true)
        try directory.replace(with: #"{"a": 2}"#)
        // The two come by two streams; both belong to one moment.
        #expect(Set(try await watching.next(2)) == [change("a", "1", "2", 2), resolved])
    }

    @Test func `a file that is unusable at the start: keys without values, ready, the problem`() async throws {
        try directory.write(#"{"a": 1"#)
        let watching = try Watching(file, "a", "--json")
        #expect(try await watching.next(2) == [value("a", nil), ready])
        #expect(try await watching.next()?.hasPrefix(#"{"event":"problem","kind":"syntax","#) == true)
        try directory.replace(with: #"{"a": 2}"#)
        #expect(Set(try await watching.next(2)) == [change("a", nil, "2", 1), resolved])
    }

    @Test func `a file that does not exist yet is followed`() async throws {
        let watching = try Watching("later/settings.json", "a", "--json", in: directory.path)
        #expect(try await watching.next(2) == [value("a", nil), ready])
        #expect(try await Tool.run("set", directory.file("later/settings.json"), "a", "1") == .done())
        #expect(try await watching.next() == change("a", nil, "1", 1))
    }

    @Test func `a key that is set twice is a problem which never makes the file unusable`() async throws {
        let watching = try Watching(file, "a", "--json")
        _ = try await watching.next(2)
        try directory.replace(with: #"{"a": 1, "a": 1}"#)
        #expect(
            try await watching.next()?.hasPrefix(#"{"event":"problem","kind":"duplicate","message":"a is set 2"#)
                == true)
        try directory.replace(with: #"{"a": 1}"#)
        try directory.replace(with: #"{"a": 2}"#)
        #expect(try await watching.next()?.hasPrefix(#"{"event":"change","key":"a","old":1,"new":2,"#) == true)
        #expect(try await watching.end(by: SIGTERM).rest == [])
    }

    @Test func `people get bare lines where there is no terminal`() async throws {
        let watching = try Watching("settings.json", "a", "zz", in: directory.path)
        #expect(try await watching.next(3) == ["a = 1", "zz = (not set)", "following settings.json"])
        try directory.replace(with: #"{"a": "two"}"#)
        let change = try #require(try await watching.next())
        #expect(change.dropFirst(12) == #"  a  1 -> "two""#, "\(change)")
        try directory.replace(with: #"{"a": }"#)
        let problem = try #require(try await watching.next())
        #expect(problem.dropFirst(12).hasPrefix("  settings.json:1:7: found "), "\(problem)")
        try directory.replace(with: #"{"a": "two"}"#)
        let end = try #require(try await watching.next())
        #expect(end.dropFirst(12) == "  settings.json can be used again")
    }

    #if os(Linux)
        @Test(arguments: [false, true])
        func `people get aligned lines on a terminal, in colours unless NO_COLOR is set`(noColour: Bool) async throws {
            let terminal = try Terminal()
            let process = Tool.process(["watch", "settings.json"], in: directory.path)
            process.environment = ["TERM": "xterm", "NO_COLOR": noColour ? "1" : "", "LD_LIBRARY_PATH": ""]
            process.standardOutput = terminal.slave
            try process.run()
            defer { process.terminate() }
            let text = try await terminal.read(upTo: "following settings.json")
            #expect(
                text.hasPrefix(
                    noColour
                        ? "a   = 1\r\ns.b = \"x\"\r\n"
                        : "\u{1B}[1ma\u{1B}[0m   = 1\r\n\u{1B}[1ms.b\u{1B}[0m = \"x\"\r\n"), "\(text.debugDescription)")
        }
    #endif

    @Test func `a reader who goes away ends it in silence`() async throws {
        let process = Tool.process(["watch", file, "--json"])
        let output = Pipe()
        process.standardOutput = output
        let errors = Pipe()
        process.standardError = errors
        try output.fileHandleForReading.close()
        try process.run()
        try output.fileHandleForWriting.close()
        let ends = process.end
        #expect(try await within { await ends() } == 0)
        try errors.fileHandleForWriting.close()
        #expect(try errors.fileHandleForReading.readToEnd()?.isEmpty ?? true)
    }

    @Test func `a signal ends it although nobody takes what it writes`() async throws {
        try directory.write("{\"a\": \"\(String(repeating: "x", count: 1 << 20))\"}")
        let process = Tool.process(["watch", file, "--json"])
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        // Something has arrived, so the signals are handled; the rest does not fit into the pipe.
        let first = try output.fileHandleForReading.read(upToCount: 1)
        #expect(first == Data("{".utf8))
        kill(process.processIdentifier, SIGTERM)
        let ends = process.end
        #expect(try await within { await ends() } == 0)
        #expect(process.terminationReason == .exit)
    }
}
