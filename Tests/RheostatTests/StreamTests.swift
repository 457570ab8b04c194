import Foundation
import TestSupport
import Testing

@testable import Rheostat

@Suite struct StreamTests {
    @Test func `values gives the value now, then each change, and is silent about equal writes`() async throws {
        let settings = try await SettingsStore.inMemory(keys: [.port])
        var values = settings.values(of: .port).makeAsyncIterator()
        #expect(await values.next() == 8080)
        try await settings.set(.port, to: 1)
        #expect(await values.next() == 1)
        try await settings.set(.port, to: 1)
        try await settings.set(.host, to: "other")
        try await settings.set(.port, to: 2)
        #expect(await values.next() == 2)
    }

    @Test func `changes tell old and new, cause and revision`() async throws {
        let backend = MemoryBackend()
        let settings = try await SettingsStore.open(.backend(backend), keys: [.port])
        var changes = settings.changes(of: .port).makeAsyncIterator()
        try await settings.set(.port, to: 1)
        let first = try #require(await changes.next())
        #expect(first.old == 8080 && first.new == 1 && first.cause == .local && first.revision == 1)
        backend.replace(with: #"{"server.port": 2}"#)
        let second = try #require(await changes.next())
        #expect(second.old == 1 && second.new == 2 && second.cause == .external && second.revision == 2)
        try await settings.reset(.port)
        #expect(await changes.next()?.new == 8080)
    }

    @Test func `a removed member is a change to the default, and silent when it had the default's value`() async throws
    {
        let backend = MemoryBackend(#"{"server": {"port": 8080, "host": "x"}}"#)
        let settings = try await SettingsStore.open(.backend(backend), keys: [.port, .host])
        var commits = settings.changes().makeAsyncIterator()
        backend.replace(with: "{}")
        #expect(await commits.next()?.keys == ["server.host"])
        #expect(settings[.host] == "localhost")
    }

    @Test func `an edit of comments and layout is silent`() async throws {
        let backend = MemoryBackend(#"{"server": {"port": 1}}"#)
        let settings = try await SettingsStore.open(.backend(backend), keys: [.port])
        var changes = settings.changes(of: .port).makeAsyncIterator()
        let revision = settings.revision
        backend.replace(with: "// new\n{\"server.port\": 1.0}")
        try await settings.reload()
        // The same value, written in another way and elsewhere.
        #expect(settings[.port] == 1 && settings.source(of: .port).line == 2)
        backend.replace(with: #"{"server": {"port": 2}}"#)
        #expect(await changes.next()?.old == 1)
        #expect(settings.revision >= revision)
    }

    @Test func `a bad edit keeps the last good values, is told with its place, and the next good edit works`()
        async throws
    {
        let backend = MemoryBackend(#"{"server": {"port": 1}}"#)
        let settings = try await SettingsStore.open(.backend(backend), keys: [.port])
        var problems = settings.problems().makeAsyncIterator()
        var changes = settings.changes(of: .port).makeAsyncIterator()
        backend.replace(with: "{\n  \"server\": {\"port\": oops}\n}")
        let problem = try #require(await problems.next())
        #expect(problem.kind == .syntax && problem.line == 2 && problem.column == 22)
        #expect(settings[.port] == 1)
        await #expect { try await settings.set(.port, to: 5) } throws: { SettingsError.fileUnusable ~= $0 }
        #expect(backend.currentText?.contains("oops") == true)
        backend.replace(with: #"{"server": {"port": 2}}"#)
        #expect(await changes.next()?.new == 2)
        let resolved = try #require(await problems.next())
        #expect(resolved.isResolved && resolved.kind == .syntax)
        try await settings.set(.port, to: 5)
    }

    @Test func `a reload with an invalid declared value is refused as a whole`() async throws {
        let backend = MemoryBackend(#"{"server": {"port": 1, "host": "a"}}"#)
        let settings = try await SettingsStore.open(.backend(backend), keys: [.port, .host, .level])
        var problems = settings.problems().makeAsyncIterator()
        backend.replace(with: #"{"server": {"port": "x", "host": "b"}, "log": {"level": 3}}"#)
        let told = [await problems.next(), await problems.next()]
        #expect(told.map { $0?.key } == ["server.port", "log.level"])
        #expect(told.allSatisfy { $0?.kind == .invalid && $0?.isFileUnusable == true })
        #expect(settings[.host] == "a")
        await #expect { try await settings.reload() } throws: { SettingsError.fileUnusable ~= $0 }
    }

    @Test func `an invalid value of a key that is not declared concerns that key alone`() async throws {
        let backend = MemoryBackend(#"{"server": {"port": 1, "host": "a"}}"#)
        let settings = try await SettingsStore.open(.backend(backend), keys: [.host])
        #expect(settings[.port] == 1)
        var problems = settings.problems().makeAsyncIterator()
        var hosts = settings.changes(of: .host).makeAsyncIterator()
        backend.replace(with: #"{"server": {"port": "x", "host": "b"}}"#)
        #expect(await hosts.next()?.new == "b")
        let problem = try #require(await problems.next())
        #expect(problem.key == "server.port" && !problem.isFileUnusable)
        #expect(settings[.port] == 1)
        await #expect { try await settings.set(.port, to: 5) } throws: { SettingsError.invalidValue ~= $0 }
        try await settings.set(.host, to: "c")
        backend.replace(with: #"{"server": {"port": 3, "host": "b"}}"#)
        #expect(await problems.next()?.isResolved == true)
        #expect(settings[.port] == 3)
    }

    @Test func `a whole commit names its keys once`() async throws {
        let settings = try await SettingsStore.inMemory(keys: [.port, .host, .level])
        var commits = settings.changes().makeAsyncIterator()
        try await settings.update { transaction in
            transaction[.port] = 1
            transaction[.host] = "x"
        }
        let commit = try #require(await commits.next())
        #expect(commit.keys == ["server.port", "server.host"] && commit.revision == 1)
        #expect(commit.contains(SettingKeys.port) && !commit.contains(SettingKeys.level))
    }

    @Test func `a slow consumer gets joined changes: first old, last new`() async throws {
        let settings = try await SettingsStore.inMemory(keys: [.port])
        var changes = settings.changes(of: .port).makeAsyncIterator()
        var values = settings.values(of: .port).makeAsyncIterator()
        var commits = settings.changes().makeAsyncIterator()
        for port in 1...100 { try await settings.set(.port, to: port) }
        let joined = try #require(await changes.next())
        #expect(joined.old == 8080 && joined.new == 100 && joined.revision == 100)
        #expect(await values.next() == 100)
        #expect(await commits.next()?.revision == 100)
    }

    @Test func `there and back again while nobody looked is no change`() async throws {
        let settings = try await SettingsStore.inMemory(keys: [.port])
        var changes = settings.changes(of: .port).makeAsyncIterator()
        var values = settings.values(of: .port).makeAsyncIterator()
        #expect(await values.next() == 8080)
        try await settings.set(.port, to: 1)
        try await settings.set(.port, to: 8080)
        try await settings.set(.port, to: 2)
        try await settings.set(.port, to: 8080)
        try await settings.set(.port, to: 3)
        #expect(await changes.next()?.old == 8080)
        #expect(await values.next() == 3)
    }

    @Test func `a stream made early and consumed late starts with the value of then`() async throws {
        let settings = try await SettingsStore.inMemory(keys: [.port])
        let stream = settings.values(of: .port)
        try await settings.set(.port, to: 5)
        var values = stream.makeAsyncIterator()
        #expect(await values.next() == 5)
    }

    @Test func `value(of:where:) waits until it holds, and returns at once when it does`() async throws {
        let settings = try await SettingsStore.inMemory(keys: [.port])
        #expect(try await settings.value(of: .port, where: { $0 > 1 }) == 8080)
        async let waited = within { try await settings.value(of: .port, where: { $0 == 3 }) }
        for port in 1...3 { try await settings.set(.port, to: port) }
        #expect(try await waited == 3)
        let cancelled = Task { try await settings.value(of: .port, where: { $0 == -1 }) }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
    }

    @Test func `cancelling the task, leaving the loop and dropping the stream give the registration back`()
        async throws
    {
        let settings = try await SettingsStore.inMemory(keys: [.port])
        let publication = settings.publication
        do {
            _ = settings.values(of: .port)
            _ = settings.changes(of: .port)
            _ = settings.changes()
            _ = settings.problems()
            _ = settings.raw.observe()
        }
        #expect(publication.subscriberCount == 0)
        for await _ in settings.values(of: .port) { break }
        #expect(publication.subscriberCount == 0)
        let waiting = Task { for await _ in settings.changes(of: .port) {} }
        try await eventually { publication.subscriberCount == 1 }
        waiting.cancel()
        await waiting.value
        #expect(publication.subscriberCount == 0)
    }

    @Test func `cancelling inside the first event and writing the same key inside its loop are fine`() async throws {
        let settings = try await SettingsStore.inMemory(keys: [.port])
        let cancelled = Task {
            var seen = 0
            for await _ in settings.values(of: .port) {
                seen += 1
                withUnsafeCurrentTask { $0?.cancel() }
            }
            return seen
        }
        #expect(await cancelled.value == 1)
        let climbing = Task {
            for await port in settings.values(of: .port) {
                if port >= 8090 { return port }
                try await settings.set(.port, to: port + 1)
            }
            return 0
        }
        #expect(try await within { try await climbing.value } == 8090)
    }

    @Test func `two tasks on one stream share its elements and both end`() async throws {
        let settings = try await SettingsStore.inMemory(keys: [.port])
        let stream = settings.values(of: .port)
        let seen = Locked<[Int]>([])
        let tasks = (0..<2).map { _ in
            Task { for await value in stream { seen.withLock { $0.append(value) } } }
        }
        for port in 1...20 { try await settings.set(.port, to: port) }
        try await eventually { seen.withLock { $0.contains(20) } }
        try await settings.close()
        try await within { for task in tasks { await task.value } }
        let all = seen.withLock { $0 }
        #expect(Set(all).count == all.count)
    }

    @Test func `with writers running while subscribers come and go each chain is gapless`() async throws {
        let settings = try await SettingsStore.inMemory(keys: [.port])
        let broken = Locked(0)
        let chains = Locked(0)
        await withTaskGroup { group in
            for writer in 0..<3 {
                group.addTask {
                    for round in 0..<400 { try? await settings.set(.port, to: 1 + (round * 3 + writer) % 60_000) }
                }
            }
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<150 {
                        var last: Int?
                        var count = 0
                        for await change in settings.changes(of: .port) {
                            if let last, last != change.old { broken.withLock { $0 += 1 } }
                            if change.old == change.new { broken.withLock { $0 += 1 } }
                            last = change.new
                            count += 1
                            if count == 4 { break }
                        }
                        chains.withLock { $0 += 1 }
                    }
                }
            }
            // The writers end first; then the subscribers that still wait are let go.
            for _ in 0..<3 { await group.next() }
            try? await settings.close()
        }
        #expect(broken.withLock { $0 } == 0)
        #expect(chains.withLock { $0 } == 600)
    }

    @Test func `a first value is never stale nor told again`() async throws {
        let settings = try await SettingsStore.inMemory(keys: [.port])
        let writer = Task {
            var port = 1
            while !Task.isCancelled {
                try await settings.set(.port, to: port)
                port = port % 60_000 + 1
            }
        }
        for _ in 0..<2_000 {
            let before = settings[.port]
            var values = settings.values(of: .port).makeAsyncIterator()
            let first = try #require(await values.next())
            // Ports rise by one; what was readable before the subscription is never followed by an older one.
            #expect((first - before + 60_000) % 60_000 < 30_000)
        }
        writer.cancel()
    }

    @Test func `a million subscriptions leave no memory behind`() async throws {
        let settings = try await SettingsStore.inMemory(keys: [.port])
        for _ in 0..<20_000 { _ = settings.values(of: .port) }
        let before = residentBytes()
        for _ in 0..<1_000 {
            for _ in 0..<1_000 { _ = settings.changes(of: .port) }
            // Other tests need the thread too.
            await Task.yield()
        }
        #expect(settings.publication.subscriberCount == 0)
        #expect(residentBytes() - before < 64 << 20)
    }

    @Test func `ten thousand live subscribers all get the change`() async throws {
        let settings = try await SettingsStore.inMemory(keys: [.port])
        let streams = (0..<10_000).map { _ in settings.changes(of: .port) }
        try await settings.set(.port, to: 1)
        var told = 0
        for stream in streams {
            var iterator = stream.makeAsyncIterator()
            if await iterator.next()?.new == 1 { told += 1 }
        }
        #expect(told == 10_000)
        #expect(settings.publication.subscriberCount == 10_000)
    }

    @Test func `raw streams give whole commits from the snapshot on`() async throws {
        let backend = MemoryBackend(#"{"a": 1, "s": {"b": "x"}}"#)
        let settings = try await SettingsStore.open(.backend(backend))
        let (now, stream) = settings.raw.observe()
        #expect(try now.entries().map(\.path) == ["a", "s.b"])
        var commits = stream.makeAsyncIterator()
        backend.replace(with: #"{"a": 2, "s.b": "y", "n": {"q": [1]}}"#)
        let commit = try #require(await commits.next())
        let told = commit.changes.map { "\($0.path): \($0.old?.text ?? "-") -> \($0.new?.text ?? "-")" }
        #expect(told == ["a: 1 -> 2", "n.q: - -> [1]", "s.b: \"x\" -> \"y\""])
        #expect(commit.cause == .external)
        backend.replace(with: #"{"n": {"q": [1.0]}, "s": {"b": "y"}, "a": 2}"#)
        try await settings.reload()
        try await settings.raw.remove("n")
        #expect(await commits.next()?.changes.map(\.path) == ["n.q"])
    }
}

/// The memory of this process that is resident, in bytes.
func residentBytes() -> Int {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * 4096
}
