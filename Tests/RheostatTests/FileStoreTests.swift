import Foundation
import TestSupport
import Testing

@testable import Rheostat

@Suite struct FileStoreTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    var path: String { directory.file("settings.json") }

    static let text = """
        {
          // the server
          "server": {
            "port": 8080, // TCP
            "host": "127.0.0.1",
          },
          "editor.fontSize": 12,
        }

        """

    @Test func `a missing file means the defaults, and the first write makes it`() async throws {
        let settings = try await SettingsStore.open(.file(path), keys: [.port])
        #expect(settings[.port] == 8080)
        #expect(try directory.names() == [])
        try await settings.set(.port, to: 9090)
        #expect(try directory.read() == "{\n  \"server\": {\n    \"port\": 9090\n  }\n}\n")
        #expect(try directory.names() == ["settings.json"])
    }

    @Test func `a missing directory is made by the first write and not before`() async throws {
        let deep = directory.file("a/b/settings.json")
        let settings = try await SettingsStore.open(.file(deep), keys: [.port])
        try await settings.update { _ in }
        #expect(try directory.names() == [])
        try await settings.set(.port, to: 1)
        let again = try await SettingsStore.open(.file(deep), keys: [.port])
        #expect(again[.port] == 1)
    }

    @Test func `a write keeps every other byte, and what it returns for is on the disk`() async throws {
        try directory.write(Self.text)
        let settings = try await SettingsStore.open(.file(path), keys: [.port])
        try await settings.set(.port, to: 9090)
        #expect(try directory.read() == Self.text.replacingOccurrences(of: "8080", with: "9090"))
        try await settings.reset(.port)
        try await settings.set(SettingKey("editor.fontSize", default: 0), to: 13)
        #expect(settings[.port] == 8080)
        #expect(try directory.read().contains("\"editor.fontSize\": 13,"))
    }

    @Test func `reading, observing and opening write nothing`() async throws {
        try directory.write(Self.text)
        let before = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
        let settings = try await SettingsStore.open(.file(path), keys: [.port])
        _ = settings[.port]
        var values = settings.values(of: .port).makeAsyncIterator()
        _ = await values.next()
        try await settings.reload()
        try await settings.set(.port, to: 8080)
        try await settings.close()
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date == before)
        #expect(try directory.names() == ["settings.json"])
    }

    @Test func `edits from outside are told once each, whatever way they are made`() async throws {
        try directory.write(#"{"server": {"port": 1}}"#)
        let settings = try await SettingsStore.open(.file(path), keys: [.port])
        var changes = settings.changes(of: .port).makeAsyncIterator()
        try directory.write(#"{"server": {"port": 2}}"#)
        #expect(await changes.next().map { [$0.old, $0.new] } == [1, 2])
        try directory.replace(with: #"{"server": {"port": 3}}"#)
        #expect(await changes.next().map { [$0.old, $0.new] } == [2, 3])
        try FileManager.default.removeItem(atPath: path)
        try directory.write(#"{"server": {"port": 4}}"#)
        #expect(await changes.next().map { [$0.old, $0.new] } == [3, 4])
        // Its own writes are no news.
        try await settings.set(.port, to: 5)
        #expect(await changes.next().map { [$0.old, $0.new] } == [4, 5])
        try directory.replace(with: #"{"server": {"port": 6}}"#)
        let last = try #require(await changes.next())
        #expect(last.old == 5 && last.new == 6 && last.cause == .external)
    }

    @Test func `a file that appears later is picked up`() async throws {
        let deep = directory.file("a/b/settings.json")
        let settings = try await SettingsStore.open(.file(deep), keys: [.port])
        var changes = settings.changes(of: .port).makeAsyncIterator()
        try FileManager.default.createDirectory(
            atPath: directory.file("a/b"), withIntermediateDirectories: true)
        try Data(#"{"server.port": 3}"#.utf8).write(to: URL(fileURLWithPath: deep))
        #expect(await changes.next()?.new == 3)
    }

    @Test func `a malformed edit is a problem with its place and is not overwritten`() async throws {
        try directory.write(#"{"server": {"port": 1}}"#)
        let settings = try await SettingsStore.open(.file(path), keys: [.port])
        var problems = settings.problems().makeAsyncIterator()
        var changes = settings.changes(of: .port).makeAsyncIterator()
        let bad = "{\n  \"server\": {\n    \"port\": 2,,\n  }\n}"
        try directory.replace(with: bad)
        let problem = try #require(await problems.next())
        #expect(problem.description.hasPrefix("\(path):3:15: found"))
        let error = await #expect(throws: SettingsError.self) { try await settings.set(.port, to: 5) }
        #expect(error?.code == .fileUnusable && error?.line == 3 && error?.file == path)
        #expect(try directory.read() == bad)
        #expect(settings[.port] == 1)
        try directory.replace(with: #"{"server": {"port": 3}}"#)
        #expect(await changes.next()?.new == 3)
        #expect(await problems.next()?.isResolved == true)
        try await settings.set(.port, to: 5)
    }

    @Test func `a file that vanishes keeps the last values, and a write makes it again with all of them`() async throws
    {
        try directory.write(Self.text)
        let settings = try await SettingsStore.open(.file(path), keys: [.port, .host])
        var problems = settings.problems().makeAsyncIterator()
        try FileManager.default.removeItem(atPath: path)
        let problem = try #require(await problems.next())
        #expect(problem.kind == .missing && settings[.host] == "127.0.0.1")
        try await settings.set(.port, to: 9090)
        #expect(try directory.read() == Self.text.replacingOccurrences(of: "8080", with: "9090"))
        #expect(await problems.next()?.isResolved == true)
    }

    @Test func `a file emptied on purpose keeps the last values and is a problem; {} says that nothing is set`()
        async throws
    {
        try directory.write(Self.text)
        let settings = try await SettingsStore.open(.file(path), keys: [.port, .host])
        var problems = settings.problems().makeAsyncIterator()
        try directory.write("")
        let problem = try #require(await problems.next())
        #expect(problem.kind == .empty && settings[.host] == "127.0.0.1")
        try directory.write("{}")
        #expect(await problems.next()?.isResolved == true)
        #expect(settings[.host] == "localhost")
    }

    @Test func `an empty file and one of comments mean that nothing is set`() async throws {
        try directory.write("")
        let settings = try await SettingsStore.open(.file(path), keys: [.port])
        #expect(settings[.port] == 8080)
        try await settings.set(.port, to: 1)
        #expect(settings[.port] == 1)
        try directory.write("// nothing yet\n", to: "other.json")
        let other = try await SettingsStore.open(.file(directory.file("other.json")), keys: [.port])
        try await other.set(.port, to: 2)
        let written = try directory.read("other.json")
        #expect(written.hasPrefix("// nothing yet\n") && written.contains("2"))
    }

    // MARK: What is no settings file

    @Test func `open lists every invalid value with its place`() async throws {
        try directory.write("{\n  \"server\": {\"port\": \"x\"},\n  \"log\": {\"level\": 7},\n  \"ratio\": 1\n}")
        let error = await #expect(throws: SettingsError.self) {
            try await SettingsStore.open(.file(path), keys: [.port, .level, .ratio])
        }
        #expect(error?.code == .fileUnusable)
        #expect(
            error?.problems.map { "\($0.key ?? ""):\($0.line ?? 0):\($0.column ?? 0)" } == [
                "server.port:2:22", "log.level:3:20",
            ])
        #expect(error.map { "\($0)" }?.hasSuffix("(and 1 more)") == true)
    }

    @Test func `a FIFO, a directory, random bytes, brackets and other roots are errors, and none hangs`() async throws {
        try await within {
            let fifo = directory.file("fifo")
            #expect(mkfifo(fifo, 0o600) == 0)
            try FileManager.default.createDirectory(atPath: directory.file("dir"), withIntermediateDirectories: false)
            let bytes = (0..<300).map { UInt8(truncatingIfNeeded: 128 + $0 * 37) }
            try Data(bytes).write(to: URL(fileURLWithPath: directory.file("random")))
            try directory.write(String(repeating: "[", count: 100_000), to: "brackets")
            try directory.write("[1, 2]", to: "array")
            try directory.write("null", to: "null")
            try directory.write("{\"a\": 1} {", to: "more")
            let kinds: [(String, SettingsProblem.Kind)] = [
                ("fifo", .notAFile), ("dir", .notAFile), ("random", .syntax), ("brackets", .syntax),
                ("array", .invalid), ("null", .invalid), ("more", .syntax),
            ]
            for (name, kind) in kinds {
                let error = await #expect(throws: SettingsError.self, "\(name)") {
                    try await SettingsStore.open(.file(directory.file(name)))
                }
                #expect(error?.code == .fileUnusable && error?.problems.first?.kind == kind, "\(name)")
                // Opened with the defaults, it is not overwritten.
                let settings = try await SettingsStore.open(
                    .file(directory.file(name), lockTimeout: .seconds(2)), keys: [.port], onInvalid: .useDefaults)
                #expect(settings[.port] == 8080)
                await #expect(throws: SettingsError.self, "\(name)") { try await settings.set(.port, to: 1) }
            }
        }
    }

    @Test func `a file over the limit is refused`() async throws {
        try directory.write(#"{"a": "\#(String(repeating: "x", count: 2_000))"}"#)
        let error = await #expect(throws: SettingsError.self) {
            try await SettingsStore.open(.file(path, maximumSize: 1_000))
        }
        #expect(error?.problems.first?.kind == .tooLarge)
    }

    @Test(.enabled(if: getuid() != 0, "root may read everything"))
    func `a file that may not be read is a problem until it may`() async throws {
        try directory.write(#"{"server": {"port": 1}}"#)
        let settings = try await SettingsStore.open(.file(path), keys: [.port])
        var problems = settings.problems().makeAsyncIterator()
        #expect(chmod(path, 0) == 0)
        #expect(await problems.next()?.kind == .unreadable)
        #expect(chmod(path, 0o600) == 0)
        #expect(await problems.next()?.isResolved == true)
    }

    // MARK: Modes, links and other stores

    @Test func `a file made for a store with a secret key is for its owner only`() async throws {
        let settings = try await SettingsStore.open(.file(path), keys: [.token, .port])
        try await settings.set(.token, to: "hunter2")
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        try await settings.set(.port, to: 2)
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test func `the mode of a file stays`() async throws {
        try directory.write("{}")
        #expect(chmod(path, 0o640) == 0)
        let settings = try await SettingsStore.open(.file(path), keys: [.port])
        try await settings.set(.port, to: 2)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o640)
    }

    @Test func `a symbolic link stays one, and its target is written`() async throws {
        try directory.write("{}", to: "real.json")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "real.json")
        let settings = try await SettingsStore.open(.file(path), keys: [.port])
        try await settings.set(.port, to: 2)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == "real.json")
        #expect(try directory.read("real.json").contains("2"))
    }

    @Test func `two stores on one file lose nothing and see each other's changes`() async throws {
        let one = try await SettingsStore.open(.file(path), keys: [.port])
        let other = try await SettingsStore.open(.file(path), keys: [.port])
        let counter = SettingKey("counter", default: 0)
        var ports = other.changes(of: .port).makeAsyncIterator()
        try await one.set(.port, to: 5)
        #expect(await ports.next()?.new == 5)
        try await withThrowingTaskGroup { group in
            for store in [one, other] {
                for _ in 0..<2 { group.addTask { for _ in 0..<25 { try await store.update { $0[counter] += 1 } } } }
            }
            try await group.waitForAll()
        }
        #expect(try directory.read().contains("\"counter\": 100"))
        #expect(try await within { try await one.value(of: counter, where: { $0 == 100 }) } == 100)
        #expect(try await within { try await other.value(of: counter, where: { $0 == 100 }) } == 100)
    }

    @Test func `an edit that came before a write is published first and kept`() async throws {
        try directory.write(#"{"server": {"port": 1}}"#)
        let settings = try await SettingsStore.open(.file(path), keys: [.port, .host])
        var commits = settings.changes().makeAsyncIterator()
        try directory.replace(with: "{\"server\": {\"port\": 2 /* mine */}}")
        try await settings.set(.host, to: "h")
        #expect(settings[.port] == 2)
        #expect(try directory.read().contains("/* mine */"))
        #expect(try directory.read().contains("\"host\": \"h\""))
        var seen: Set<String> = []
        while seen.count < 2, let commit = await commits.next() { seen.formUnion(commit.keys) }
    }

    @Test func `an unwritable directory fails the write with errno and leaves everything as it was`() async throws {
        // Root may write anywhere, but not below a file.
        try directory.write("{}", to: "file")
        let settings = try await SettingsStore.open(.file(directory.file("file/settings.json")), keys: [.port])
        let error = await #expect(throws: SettingsError.self) { try await settings.set(.port, to: 1) }
        #expect(error?.errno == ENOTDIR)
        #expect(settings[.port] == 8080)
    }

    @Test func `descriptors and threads are given back when stores close`() async throws {
        try directory.write("{}")
        let before = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        for _ in 0..<50 {
            let settings = try await SettingsStore.open(.file(path), keys: [.port])
            try await settings.close()
        }
        // Other tests open files meanwhile.
        try await eventually {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count < before + 40
        }
    }
}
