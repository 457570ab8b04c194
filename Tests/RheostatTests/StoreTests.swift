import Foundation
import RheostatTesting
import TestSupport
import Testing

@testable import Rheostat

@Suite struct StoreTests {
    @Test func `a key reads its default until it is set`() async throws {
        let settings = try await SettingsStore.inMemory(keys: [.port, .level])
        #expect(settings[.port] == 8080)
        try await settings.set(.port, to: 9090)
        #expect(settings[.port] == 9090)
        #expect(settings[.level] == .info)
    }

    @Test func `a key that was not declared can be used all the same`() async throws {
        let settings = try await SettingsStore.open(.backend(MemoryBackend(#"{"server": {"port": 1}}"#)))
        #expect(settings[.port] == 1)
        #expect(settings[.host] == "localhost")
        try await settings.set(.host, to: "example.org")
        #expect(settings[.host] == "example.org")
    }

    @Test func `generic code reads the same value as direct code`() async throws {
        func read<Value: SettingValue>(_ key: SettingKey<Value>, in settings: SettingsStore) -> Value { settings[key] }
        let settings = try await SettingsStore.inMemory(keys: [.port])
        #expect(read(.port, in: settings) == settings[.port])
        try await settings.set(.port, to: 5)
        #expect(read(.port, in: settings) == 5)
        #expect(settings[.port] == 5)
    }

    @Test func `small values of each size are read as they were written`() async throws {
        let settings = try await SettingsStore.inMemory()
        func check<Value: SettingValue & BitwiseCopyable>(_ name: String, _ values: [Value]) async throws {
            let key = SettingKey(name, default: values[0])
            for value in values {
                try await settings.set(key, to: value)
                #expect(settings[key].isSame(as: value))
            }
        }
        try await check("bool", [true, false, true])
        try await check("i8", [Int8.min, 0, .max])
        try await check("u16", [UInt16.min, 1, .max])
        try await check("i32", [Int32.min, -1, .max])
        try await check("u64", [UInt64.min, 1, .max])
        try await check("double", [-0.0, 0.0, 1.5, -.greatestFiniteMagnitude])
        try await check("float", [Float(-1.25), 0])
        try await check("optional", [Int16?.none, 3, nil, -4])
        try await check("optional bool", [Bool?.none, true, false, nil])
        try await check("enum", [LogLevel.error, .debug])
        try await check("nine bytes", [Int?.none, .max, nil, .min])
    }

    @Test func `update changes several keys as one revision and returns its result`() async throws {
        let settings = try await SettingsStore.inMemory(keys: [.port, .level])
        let before = settings.revision
        let port = try await settings.update { transaction in
            transaction[.port] += 1
            transaction[.level] = .debug
            return transaction[.port]
        }
        #expect(port == 8081)
        #expect(settings[.port] == 8081 && settings[.level] == .debug)
        #expect(settings.revision == before + 1)
    }

    @Test func `a transaction that throws changes nothing`() async throws {
        struct Stop: Error {}
        let settings = try await SettingsStore.inMemory(keys: [.port])
        await #expect(throws: Stop.self) {
            try await settings.update { transaction in
                transaction[.port] = 1
                throw Stop()
            }
        }
        #expect(settings[.port] == 8080 && settings.revision == 0)
    }

    @Test func `a refused value in a transaction makes it throw as a whole`() async throws {
        let settings = try await SettingsStore.inMemory(keys: [.port, .level])
        await #expect {
            try await settings.update { transaction in
                transaction[.level] = .error
                transaction[.port] = 0
            }
        } throws: {
            SettingsError.invalidValue ~= $0
        }
        #expect(settings[.level] == .info)
    }

    @Test func `a transaction reads what it wrote, above and below too`() async throws {
        let settings = try await SettingsStore.inMemory()
        let seen = try await settings.update { transaction in
            transaction[.port] = 1
            let whole = try transaction.raw("server")?.compactText
            try transaction.setRaw("server", to: RawJSON(#"{"port": 2, "host": "h"}"#))
            let parts = (transaction[.port], transaction[.host])
            try transaction.removeRaw("server")
            return [whole ?? "-", "\(parts)", "\(transaction[.port])"]
        }
        #expect(seen == [#"{"port": 1}"#, #"(2, "h")"#, "8080"])
    }

    @Test func `reset brings the default back`() async throws {
        let settings = try await SettingsStore.inMemory(keys: [.port])
        try await settings.set(.port, to: 1)
        try await settings.reset(.port)
        #expect(settings[.port] == 8080)
        let revision = settings.revision
        try await settings.reset(.port)
        #expect(settings.revision == revision)
    }

    @Test func `an equal write is silent and writes nothing`() async throws {
        let backend = MemoryBackend("{\n  \"server\": {\"port\": 8080.0} // as it was\n}")
        let settings = try await SettingsStore.open(.backend(backend), keys: [.port])
        let revision = settings.revision
        try await settings.set(.port, to: 8080)
        #expect(settings.revision == revision)
        #expect(backend.currentText?.contains("8080.0") == true)
    }

    @Test func `setting the default's value is a write: the default may change later`() async throws {
        let backend = MemoryBackend()
        let settings = try await SettingsStore.open(.backend(backend), keys: [.port])
        try await settings.set(.port, to: 8080)
        #expect(try settings.raw.value(of: "server.port")?.text == "8080")
    }

    @Test func `thousands of concurrent increments are all kept`() async throws {
        let settings = try await SettingsStore.inMemory()
        let counter = SettingKey("counter", default: 0)
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<250 { _ = try? await settings.update { $0[counter] += 1 } }
                }
            }
        }
        #expect(settings[counter] == 2_000)
    }

    @Test func `user code may read, write and subscribe inside a transaction`() async throws {
        let settings = try await SettingsStore.inMemory(keys: [.port])
        let seen = try await settings.update { transaction in
            transaction[.port] = 9
            let stream = settings.values(of: .port)
            _ = stream
            return settings[.port]
        }
        // Not published yet inside.
        #expect(seen == 8080)
    }

    @Test func `source(of:) tells where a value stands`() async throws {
        let text = "{\n  \"server\": {\n    \"port\": 9\n  },\n  \"log.level\": \"debug\"\n}"
        let settings = try await SettingsStore.open(.backend(MemoryBackend(text)), keys: [.port, .level, .host])
        #expect(settings.source(of: .port).description == "memory:3:13")
        #expect(settings.source(of: .level).line == 5)
        #expect(settings.source(of: .host) == .keyDefault)
        #expect(settings.source(of: .host).description == "default")
    }

    @Test func `flat members are found, edited where they stand, and joined by their siblings`() async throws {
        let backend = MemoryBackend("{\n  \"log.level\": \"debug\"\n}\n")
        let settings = try await SettingsStore.open(.backend(backend), keys: [.level])
        #expect(settings[.level] == .debug)
        try await settings.set(.level, to: .error)
        try await settings.set(SettingKey("log.file", default: ""), to: "x")
        #expect(backend.currentText == "{\n  \"log.level\": \"error\",\n  \"log.file\": \"x\"\n}\n")
    }

    @Test func `of several spellings the last counts, a problem says so, and removal takes all`() async throws {
        let backend = MemoryBackend(#"{"server": {"port": 1}, "server.port": 2}"#)
        let settings = try await SettingsStore.open(.backend(backend), keys: [.port])
        #expect(settings[.port] == 2)
        var problems = settings.problems().makeAsyncIterator()
        let problem = await problems.next()
        #expect(problem?.kind == .duplicate && problem?.isFileUnusable == false)
        try await settings.reset(.port)
        #expect(settings[.port] == 8080)
        #expect(await problems.next()?.isResolved == true)
    }

    @Test func `raw values are read, listed, set and removed by path`() async throws {
        let backend = MemoryBackend("{\n  \"a\": {\"b\": 9007199254740993, \"c\": [1, 2]},\n  \"d.e\": null\n}")
        let settings = try await SettingsStore.open(.backend(backend))
        #expect(try settings.raw.value(of: "a.b")?.text == "9007199254740993")
        #expect(try settings.raw.value(of: "a.x") == nil)
        #expect(try settings.raw.snapshot.entries().map(\.path) == ["a.b", "a.c", "d.e"])
        #expect(try settings.raw.snapshot.entries(below: "a").count == 2)
        #expect(try settings.raw.snapshot.entries()[1].origin.column == 37)
        try await settings.raw.set("a.b", to: RawJSON("true"))
        try await settings.raw.remove("d.e")
        #expect(try settings.raw.snapshot.entries().map { "\($0.path)=\($0.value)" } == ["a.b=true", "a.c=[1, 2]"])
        #expect(throws: SettingsError.self) { try settings.raw.value(of: "a..b") }
        #expect(throws: SettingsError.self) { try RawJSON("{oops}") }
    }

    @Test func `a listed path reads back, whatever the member is called`() async throws {
        let text = #"{"back\\slash": 1, "dot.ted": {"x.y": 2}, "two..dots": {"z": 3}, ".": 4, "end.": 5}"#
        let settings = try await SettingsStore.open(.backend(MemoryBackend(text)))
        let entries = try settings.raw.snapshot.entries()
        #expect(
            entries.map(\.path) == [#"back\\slash"#, "dot.ted.x.y", #"two\.\.dots.z"#, #"\."#, #"end\."#])
        #expect(try entries.map { try settings.raw.value(of: $0.path)?.text } == ["1", "2", "3", "4", "5"])
    }

    @Test func `a raw write that a declared key refuses is refused`() async throws {
        let settings = try await SettingsStore.inMemory(keys: [.port])
        for (path, text) in [("server.port", #""x""#), ("server", #"{"port": 0}"#)] {
            await #expect {
                try await settings.raw.set(path, to: RawJSON(text))
            } throws: {
                SettingsError.invalidValue ~= $0
            }
        }
        #expect(try settings.raw.snapshot.entries().isEmpty)
    }

    @Test func `a path through a value that is no object is refused`() async throws {
        let settings = try await SettingsStore.open(.backend(MemoryBackend(#"{"a": 1}"#)))
        await #expect {
            try await settings.raw.set("a.b", to: RawJSON("2"))
        } throws: {
            SettingsError.notAnObject ~= $0
        }
        #expect(try settings.raw.value(of: "a")?.text == "1")
    }

    // MARK: Lifetime

    @Test func `after close reads keep the last values and the rest is refused`() async throws {
        let settings = try await SettingsStore.inMemory(keys: [.port])
        try await settings.set(.port, to: 1)
        var values = settings.values(of: .port).makeAsyncIterator()
        #expect(await values.next() == 1)
        try await settings.close()
        try await settings.close()
        #expect(settings[.port] == 1)
        #expect(settings[.host] == "localhost")
        #expect(await values.next() == nil)
        for await _ in settings.values(of: .port) { Issue.record("a new stream is an ended one") }
        for await _ in settings.changes(of: .port) { Issue.record("a new stream is an ended one") }
        for await _ in settings.changes() { Issue.record("a new stream is an ended one") }
        for await _ in settings.problems() { Issue.record("a new stream is an ended one") }
        for await _ in settings.raw.observe().commits { Issue.record("a new stream is an ended one") }
        let calls: [@Sendable () async throws -> Void] = [
            { try await settings.set(.port, to: 2) }, { try await settings.reset(.port) },
            { try await settings.flush() }, { try await settings.reload() },
            { _ = try await settings.value(of: .port, where: { $0 == 77 }) },
            { try await settings.update { $0[.port] = 3 } },
        ]
        for call in calls { await #expect { try await call() } throws: { SettingsError.closed ~= $0 } }
    }

    @Test func `close serves what is queued`() async throws {
        let backend = MemoryBackend()
        let settings = try await SettingsStore.open(.backend(backend))
        let counter = SettingKey("counter", default: 0)
        let tasks = (0..<50).map { _ in Task { try await settings.update { $0[counter] += 1 } } }
        // Whatever was accepted is served; the rest is told that the store is closed.
        try await settings.close()
        var kept = 0
        for task in tasks {
            do {
                try await task.value
                kept += 1
            } catch SettingsError.closed {}
        }
        #expect(settings[counter] == kept)
        #expect(backend.currentText.map { $0.contains("\(kept)") } ?? (kept == 0))
    }

    @Test func `a cancelled write that waits is withdrawn, one that was begun is finished`() async throws {
        let disk = GatedBackend(FailingBackend(MemoryBackend()))
        let settings = try await SettingsStore.open(.backend(disk), keys: [.port, .host])
        disk.gate(at: .beforeLock).close()
        let begun = Task { try await settings.set(.port, to: 1) }
        try await disk.gate(at: .beforeLock).waitUntilReached()
        let waiting = Task { try await settings.set(.host, to: "x") }
        try await eventually { settings.publication.journalCount == 1 }
        waiting.cancel()
        begun.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        disk.gate(at: .beforeLock).open()
        try await begun.value
        #expect(settings[.port] == 1 && settings[.host] == "localhost")
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await settings.set(.host, to: "y")
        }
        await #expect(throws: CancellationError.self) { try await early.value }
        #expect(settings[.host] == "localhost")
    }

    @Test func `a text that is still being written is not written over`() async throws {
        let memory = MemoryBackend(#"{"server": {"port": 1}}"#)
        let disk = FailingBackend(memory)
        let settings = try await SettingsStore.open(.backend(disk), keys: [.port])
        disk.failCommits(.reads(.unsettled))
        await #expect { try await settings.set(.port, to: 2) } throws: { SettingsError.fileUnusable ~= $0 }
        #expect(settings[.port] == 1)
        #expect(memory.currentText == #"{"server": {"port": 1}}"#)
        try await settings.set(.port, to: 3)
    }

    @Test func `a failing disk fails the whole group, publishes nothing, and the next write works`() async throws {
        let disk = GatedBackend(FailingBackend(MemoryBackend()))
        let settings = try await SettingsStore.open(.backend(disk), keys: [.port, .host])
        var changes = settings.changes().makeAsyncIterator()
        disk.base.failAllCommits(.refused(SettingsError(.noSpace, "the disk is full")))
        await #expect { try await settings.set(.port, to: 1) } throws: { SettingsError.noSpace ~= $0 }
        #expect(settings[.port] == 8080 && settings.revision == 0)
        disk.base.mend()
        try await settings.set(.host, to: "x")
        #expect(await changes.next()?.keys == ["server.host"])
    }

    @Test func `what waits is written as one group, each as a revision of its own`() async throws {
        let disk = GatedBackend(FailingBackend(MemoryBackend()))
        let settings = try await SettingsStore.open(.backend(disk), keys: [.port])
        disk.gate(at: .beforeLock).close()
        let first = Task { try await settings.set(.port, to: 1) }
        try await disk.gate(at: .beforeLock).waitUntilReached()
        let others = (2...21).map { port in Task { try await settings.set(.port, to: port) } }
        try await eventually { settings.publication.journalCount == 20 }
        disk.gate(at: .beforeLock).open()
        try await first.value
        for task in others { try await task.value }
        #expect(disk.commits == 2)
        #expect(settings.revision == 21)
    }

    @Test func `a store that nobody holds ends its streams`() async throws {
        var settings: SettingsStore? = try await SettingsStore.inMemory(keys: [.port])
        let stream = settings?.values(of: .port)
        settings = nil
        let values = try #require(stream)
        let seen = try await within { await values.reduce(into: [Int]()) { $0.append($1) } }
        #expect(seen == [8080])
    }

    @Test func `a waiting write keeps its store alive`() async throws {
        let backend = MemoryBackend()
        func write() async throws {
            let settings = try await SettingsStore.open(.backend(backend), keys: [.port])
            try await settings.set(.port, to: 3)
        }
        try await write()
        #expect(backend.currentText?.contains("3") == true)
    }
}
