import Foundation
import TestSupport
import Testing

@Suite struct CallingTests {
    private static let verbs = ["get", "set", "unset", "increment", "list", "check", "watch", "help"]

    @Test func `a wrong call is status 2 and one line that says where to read on`() async throws {
        let calls: [[String]] = [
            [], ["frobnicate"], ["get"], ["get", "x"], ["get", "x", "y", "z"], ["set", "x", "y"],
            ["set", "x", "y", "1", "z"], ["get", "x", "y", "--bogus"], ["get", "x", "y", "-x"],
            ["list", "x", "--string"],
            ["check", "x", "y"], ["unset", "x"], ["watch"], ["help", "frobnicate"], ["get", "/dev/null", "a..b"],
            ["increment", "/dev/null", "a", "1.5"], ["migrate", "x"], ["GET", "x", "y"], [""],
        ]
        for call in calls where !call.contains("/dev/null") {
            let outcome = try await Tool.run(Tool.process(call))
            #expect(outcome.status == 2 && outcome.output.isEmpty && !outcome.wasKilled, "\(call): \(outcome)")
            #expect(outcome.errors.hasPrefix("rheostat: ") && outcome.errors.contains("see rheostat help"), "\(call)")
            #expect(outcome.errors.split(separator: "\n").count == 1, "\(call)")
        }
    }

    @Test(arguments: ["", ".", "a..b", "a.", ".a", "a\\", "a\\x", "a\tb", String(repeating: "k", count: 2_000)])
    func `a key that is no path is status 2`(key: String) async throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("{}")
        for call in [
            ["get", file, key], ["set", file, key, "1"], ["unset", file, key], ["increment", file, key],
            ["list", file, key], ["watch", file, key],
        ] {
            let outcome = try await Tool.run(Tool.process(call))
            #expect(outcome.status == 2 && outcome.errors.hasPrefix("rheostat: "), "\(outcome)")
            #expect(outcome.output.isEmpty)
        }
        #expect(try directory.read() == "{}")
    }

    @Test func `every verb has help of at most 80 columns with an example`() async throws {
        let overview = try await Tool.run("help")
        #expect(overview.status == 0)
        #expect(try await Tool.run("--help") == overview)
        #expect(try await Tool.run("-h") == overview)
        for verb in Self.verbs {
            #expect(overview.output.contains("\n  \(verb) "), "\(verb)")
            let help = try await Tool.run("help", verb)
            #expect(help.status == 0 && help.errors.isEmpty)
            #expect(
                help.output.hasPrefix("Usage: rheostat \(verb) ") && help.output.contains("\nExample:\n  rheostat "))
            #expect(help.output.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(verb)")
            #expect(try await Tool.run(verb, "--help") == help)
        }
        #expect(overview.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test func `the version is printed`() async throws {
        let outcome = try await Tool.run("--version")
        #expect(outcome.status == 0 && outcome.output.hasPrefix("rheostat ") && outcome.errors.isEmpty)
    }

    @Test func `an argument that is not UTF-8 is refused, not mended into another file's name`() async throws {
        let directory = try TemporaryDirectory()
        let outcome = try await Tool.script(
            #"cd "$1"; exec "$0" set "$(printf 'x\377.json')" a 1"#, directory.path)
        #expect(outcome == .failed(2, "rheostat: argument 2 is not valid UTF-8; see rheostat help\n"))
        #expect(try directory.names() == [])
    }

    @Test func `nothing is printed into a file when standard output is closed`() async throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(#"{"n": 1}"#)
        let outcome = try await Tool.script(#"exec "$0" increment "$1" n >&-"#, file)
        #expect(outcome == .failed(3, "rheostat: standard output: Bad file descriptor\n"))
        #expect(try directory.read() == #"{"n": 2}"#)
    }

    @Test func `a full disk behind standard output is status 3`() async throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(#"{"n": 1}"#)
        let outcome = try await Tool.script(#"exec "$0" list "$1" >/dev/full"#, file)
        #expect(outcome == .failed(3, "rheostat: standard output: No space left on device\n"))
    }

    @Test func `a reader who goes away ends the tool in silence`() async throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("{\"a\": \"\(String(repeating: "x", count: 1 << 20))\"}")
        // The status of the tool, not of the reader, is told by the third stream.
        let outcome = try await Tool.script(#"{ "$0" get "$1" a; echo "$?" >&2; } | head -c 1"#, file)
        #expect(outcome == Tool.Outcome(status: 0, output: "x", errors: "0\n"))
    }

    @Test func `odd words give a status, never a trap`() async throws {
        let directory = try TemporaryDirectory()
        let words = [
            "", "-", "--", "---", "-1", "--json", "--string", "--help", "=", "a", "a.b", "a..b", "\u{301}", "--\u{301}",
            "\u{1F468}\u{200D}\u{1F469}", "\u{FEFF}", "\u{1B}[31m", "a\nb", "{", "[1", "\"", "1e999", "-0", "\u{202E}x",
            String(repeating: "[", count: 50_000), String(repeating: "a.", count: 400) + "a",
            String(repeating: "é", count: 60_000), "/dev/null", "/dev/zero", "/proc/self/mem", directory.path,
            directory.file("x.json"),
        ]
        var generator = Seeded(state: 0x5EED)
        for _ in 0..<120 {
            let verb = Self.verbs.filter { $0 != "watch" }.randomElement(using: &generator) ?? ""
            var call = [
                verb,
                generator.next() % 2 == 0 ? directory.file("x.json") : words.randomElement(using: &generator) ?? "",
            ]
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                call.append(words.randomElement(using: &generator) ?? "")
            }
            let outcome = try await Tool.run(Tool.process(call, in: directory.path))
            #expect((0...3).contains(outcome.status) && !outcome.wasKilled, "\(call.map { $0.prefix(40) }): \(outcome)")
            #expect(outcome.status == 0 || !outcome.errors.isEmpty, "\(call.map { $0.prefix(40) })")
        }
    }
}

/// Numbers that are the same in each run (SplitMix64).
private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
