import Locking
import RheostatTesting
import TestSupport
import Testing

@testable import Rheostat

@Suite struct AssignmentTests {
    @Test func `an assignment is visible at once and on disk after flush`() async throws {
        let backend = MemoryBackend()
        let settings = try await SettingsStore.open(.backend(backend), keys: [.port, .host])
        settings[.port] = 9
        settings[.host] = "h"
        #expect(settings[.port] == 9 && settings[.host] == "h")
        try await settings.flush()
        #expect(try settings.raw.value(of: "server.port")?.text == "9")
        #expect(backend.currentText?.contains("\"host\": \"h\"") == true)
        settings[.port] += 1
        #expect(settings[.port] == 10)
    }

    @Test func `an assignment tells its change once, when it is made`() async throws {
        let disk = GatedBackend(FailingBackend(MemoryBackend()))
        let settings = try await SettingsStore.open(.backend(disk), keys: [.port])
        var changes = settings.changes(of: .port, .buffering(100)).makeAsyncIterator()
        disk.gate(at: .beforeLock).close()
        settings[.port] = 1
        settings[.port] = 2
        try await disk.gate(at: .beforeLock).waitUntilReached()
        settings[.port] = 3
        #expect(settings.source(of: .port) == .assignment)
        disk.gate(at: .beforeLock).open()
        try await settings.flush()
        #expect(settings.source(of: .port).layer == .file)
        settings[.port] = 4
        var told: [[Int]] = []
        while told.last?.last != 4, let change = await changes.next() { told.append([change.old, change.new]) }
        #expect(told == [[8080, 1], [1, 2], [2, 3], [3, 4]])
    }

    @Test func `assignments that nothing came between are joined in the journal`() async throws {
        let disk = GatedBackend(FailingBackend(MemoryBackend()))
        let settings = try await SettingsStore.open(.backend(disk), keys: [.port, .host])
        disk.gate(at: .beforeLock).close()
        settings[.ready] = true
        try await disk.gate(at: .beforeLock).waitUntilReached()
        for port in 1...1_000 {
            settings[.port] = port
            settings[.host] = "h\(port)"
        }
        #expect(settings.publication.journalCount == 1)
        #expect(settings[.port] == 1_000)
        disk.gate(at: .beforeLock).open()
        try await settings.flush()
        #expect(disk.commits == 2)
        #expect(try settings.raw.value(of: "server.host")?.string == "h1000")
    }

    @Test func `assignments and awaited writes keep their order`() async throws {
        let disk = GatedBackend(FailingBackend(MemoryBackend()))
        let settings = try await SettingsStore.open(.backend(disk), keys: [.port])
        disk.gate(at: .beforeLock).close()
        settings[.ready] = true
        try await disk.gate(at: .beforeLock).waitUntilReached()
        settings[.port] = 1
        let doubled = Task { try await settings.update { $0[.port] *= 2 } }
        try await eventually { settings.publication.journalCount == 2 }
        settings[.port] = 5
        // What the transaction makes of it is hidden by the later assignment: no event.
        var changes = settings.changes(of: .port).makeAsyncIterator()
        disk.gate(at: .beforeLock).open()
        try await doubled.value
        try await settings.flush()
        #expect(settings[.port] == 5)
        settings[.port] = 6
        #expect(await changes.next().map { [$0.old, $0.new] } == [5, 6])
    }

    @Test func `a transaction after an assignment sees it, and its change is told`() async throws {
        let settings = try await SettingsStore.inMemory(keys: [.port])
        var changes = settings.changes(of: .port, .buffering(10)).makeAsyncIterator()
        settings[.port] = 10
        try await settings.update { $0[.port] += 5 }
        #expect(settings[.port] == 15)
        #expect(await changes.next().map { [$0.old, $0.new] } == [8080, 10])
        #expect(await changes.next().map { [$0.old, $0.new] } == [10, 15])
    }

    @Test func `an assignment that cannot be written is taken back, told, and thrown once by flush`() async throws {
        let disk = GatedBackend(FailingBackend(MemoryBackend()))
        let settings = try await SettingsStore.open(.backend(disk), keys: [.port])
        var changes = settings.changes(of: .port, .buffering(10)).makeAsyncIterator()
        var problems = settings.problems().makeAsyncIterator()
        disk.base.failAllCommits(.refused(SettingsError(.noSpace, "the disk is full")))
        settings[.port] = 1
        await #expect { try await settings.flush() } throws: { SettingsError.noSpace ~= $0 }
        try await settings.flush()
        #expect(settings[.port] == 8080)
        let made = try #require(await changes.next())
        let back = try #require(await changes.next())
        #expect(made.new == 1 && made.cause == .local)
        #expect(back.old == 1 && back.new == 8080 && back.cause == .rollback)
        #expect(await problems.next()?.kind == .notWritten)
        disk.base.mend()
        try await settings.set(.port, to: 2)
        #expect(await problems.next()?.isResolved == true)
        #expect(settings[.port] == 2)
    }

    @Test func `that an assignment was not written stands until a write succeeds`() async throws {
        let disk = FailingBackend(MemoryBackend())
        let settings = try await SettingsStore.open(.backend(disk), keys: [.port])
        disk.failAllCommits(.refused(SettingsError(.noSpace, "the disk is full")))
        settings[.port] = 1
        await #expect(throws: SettingsError.self) { try await settings.flush() }
        await #expect(throws: SettingsError.self) { try await settings.set(.port, to: 2) }
        func standing() -> [SettingsProblem.Kind] {
            settings.publication.state.withLock { $0.problems.standing.values.map(\.kind) }
        }
        #expect(standing() == [.notWritten])
        disk.mend()
        try await settings.set(.port, to: 2)
        #expect(standing() == [])
    }

    @Test func `a later assignment stays when an earlier one is taken back`() async throws {
        let disk = GatedBackend(FailingBackend(MemoryBackend()))
        let settings = try await SettingsStore.open(.backend(disk), keys: [.port])
        disk.gate(at: .beforeLock).close()
        settings[.port] = 1
        try await disk.gate(at: .beforeLock).waitUntilReached()
        settings[.port] = 2
        disk.base.failCommits(.refused(SettingsError(.noSpace, "the disk is full")))
        disk.gate(at: .beforeLock).open()
        await #expect(throws: SettingsError.self) { try await settings.flush() }
        #expect(settings[.port] == 2)
        try await settings.flush()
        #expect(try settings.raw.value(of: "server.port")?.text == "2")
    }

    @Test func `a value that the key refuses is not taken, and a problem says so until it gets another`() async throws {
        let settings = try await SettingsStore.inMemory(keys: [.port, .ratio])
        var problems = settings.problems().makeAsyncIterator()
        settings[.port] = 0
        #expect(settings[.port] == 8080)
        let problem = try #require(await problems.next())
        #expect(problem.kind == .refused && problem.key == "server.port")
        settings[.ratio] = .nan
        #expect(settings[.ratio] == 0.5)
        _ = await problems.next()
        settings[.port] = 5
        #expect(await problems.next()?.isResolved == true)
        try await settings.flush()
    }

    @Test func `while the file is malformed an assignment is taken back and the file stays`() async throws {
        let backend = MemoryBackend(#"{"server": {"port": 1}}"#)
        let settings = try await SettingsStore.open(.backend(backend), keys: [.port])
        backend.replace(with: "{oops")
        await #expect(throws: SettingsError.self) { try await settings.reload() }
        settings[.port] = 5
        await #expect { try await settings.flush() } throws: { SettingsError.fileUnusable ~= $0 }
        #expect(settings[.port] == 1)
        #expect(backend.currentText == "{oops")
    }

    @Test func `a foreign edit below an assignment makes no event for its key`() async throws {
        let disk = GatedBackend(FailingBackend(MemoryBackend()))
        let settings = try await SettingsStore.open(.backend(disk), keys: [.port, .host])
        var ports = settings.changes(of: .port, .buffering(10)).makeAsyncIterator()
        disk.gate(at: .beforeLock).close()
        settings[.port] = 7
        try await disk.gate(at: .beforeLock).waitUntilReached()
        disk.base.base.replace(with: #"{"server": {"port": 3, "host": "edited"}}"#)
        disk.gate(at: .beforeLock).open()
        try await settings.flush()
        #expect(settings[.host] == "edited" && settings[.port] == 7)
        settings[.port] = 8
        #expect(await ports.next().map { [$0.old, $0.new] } == [8080, 7])
        #expect(await ports.next().map { [$0.old, $0.new] } == [7, 8])
    }

    @Test func `after close assignments are ignored, and close says what could not be written`() async throws {
        let disk = GatedBackend(FailingBackend(MemoryBackend()))
        let settings = try await SettingsStore.open(.backend(disk), keys: [.port])
        disk.base.failAllCommits(.refused(SettingsError(.noSpace, "the disk is full")))
        settings[.port] = 1
        await #expect { try await settings.close() } throws: { SettingsError.noSpace ~= $0 }
        settings[.port] = 2
        #expect(settings[.port] == 8080)
        try await settings.close()
    }

    @Test func `a store that is dropped writes its assignments first`() async throws {
        let backend = MemoryBackend()
        func assign() async throws {
            let settings = try await SettingsStore.open(.backend(backend), keys: [.port])
            for port in 1...50 { settings[.port] = port }
        }
        try await assign()
        try await eventually { backend.currentText?.contains("50") == true }
    }

    @Test func `several keys are read at one revision while commits and assignments run`() async throws {
        let settings = try await SettingsStore.inMemory()
        let a = SettingKey("pair.a", default: 0)
        let b = SettingKey("pair.b", default: 0)
        let text = SettingKey("pair.c", default: "0")
        let writer = Task {
            var number = 0
            while !Task.isCancelled {
                number += 1
                let now = number
                try await settings.update { transaction in
                    transaction[a] = now
                    transaction[text] = "\(now)"
                    transaction[b] = now
                }
            }
        }
        for _ in 0..<20_000 {
            let (one, other, third) = settings[a, b, text]
            #expect(one == other && third == "\(one)")
        }
        writer.cancel()
        try? await writer.value
    }

    @Test func `a tuple stream gives one revision at a time, and the newest`() async throws {
        let settings = try await SettingsStore.inMemory()
        let a = SettingKey("pair.a", default: 0)
        let b = SettingKey("pair.b", default: "0")
        var tuples = settings.values(of: a, b).makeAsyncIterator()
        #expect(try #require(await tuples.next()) == (0, "0"))
        let writer = Task {
            for number in 1...500 {
                try await settings.update { transaction in
                    transaction[a] = number
                    transaction[b] = "\(number)"
                }
            }
        }
        var last = 0
        while last < 500, let (one, other) = await tuples.next() {
            #expect("\(one)" == other)
            #expect(one > last)
            last = one
        }
        try await writer.value
        #expect(settings.publication.subscriberCount == 2)
    }

    @Test func `a tuple stream gives its registrations back`() async throws {
        let settings = try await SettingsStore.inMemory()
        for await _ in settings.values(of: .port, .host, .level) { break }
        #expect(settings.publication.subscriberCount == 0)
        try await settings.close()
        for await _ in settings.values(of: .port, .host) { Issue.record("a new stream is an ended one") }
    }

    @Test func `a buffered stream keeps changes apart up to its limit and then says how many it joined`() async throws {
        let settings = try await SettingsStore.inMemory(keys: [.port])
        var changes = settings.changes(of: .port, .buffering(3)).makeAsyncIterator()
        for port in 1...10 { try await settings.set(.port, to: port) }
        var told: [[Int]] = []
        for _ in 0..<3 {
            let change = try #require(await changes.next())
            told.append([change.old, change.new, change.joined])
        }
        #expect(told == [[8080, 1, 0], [1, 2, 0], [2, 10, 7]])
        try await settings.set(.port, to: 11)
        #expect(await changes.next()?.old == 10)
    }

    @Test func `run serves until it is cancelled, then closes`() async throws {
        let backend = MemoryBackend()
        let settings = try await SettingsStore.open(.backend(backend), keys: [.port])
        let service = Task { try await settings.run() }
        settings[.port] = 3
        try await settings.set(.host, to: "x")
        service.cancel()
        try await within { try await service.value }
        #expect(backend.currentText?.contains("3") == true)
        await #expect { try await settings.flush() } throws: { SettingsError.closed ~= $0 }
    }

    @Test func `a secret's change shows no value when it is printed or dumped`() async throws {
        let settings = try await SettingsStore.inMemory(keys: [.token])
        var changes = settings.changes(of: .token).makeAsyncIterator()
        settings[.token] = "hunter2"
        let change = try #require(await changes.next())
        var dumped = ""
        dump(change, to: &dumped)
        #expect(change.new == "hunter2")
        #expect(!"\(change)".contains("hunter2") && !dumped.contains("hunter2"))
        var store = ""
        dump(settings, to: &store)
        #expect(!store.contains("hunter2"))
    }
}
