import Rheostat

/// The chapters, in order.
enum Tour {
    static func run(on path: String) async throws {
        let settings = try await SettingsStore.open(.file(path), keys: .service)
        try await waitForACondition(settings)
        try await followOneKey(settings)
        try await followTwoKeysAtOnce(settings)
        try await beSlow(settings)
        try await keepChangesApart(settings)
        try await takeAnAssignmentBack(settings, path)
        try await shutDown(settings, path)
    }

    /// `value(of:where:)` suspends a task until a value is what it needs.
    private static func waitForACondition(_ settings: SettingsStore) async throws {
        chapter("Three tasks wait until the service is ready: value(of: .ready, where: { $0 })")
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 1...3 {
                group.addTask {
                    _ = try await settings.value(of: .ready, where: { $0 })
                    return number
                }
            }
            say("  settings.ready is \(settings[.ready])")
            say("  settings[.ready] = true")
            settings[.ready] = true
            var woken: [Int] = []
            for try await number in group { woken.append(number) }
            say("  woken: tasks \(woken.sorted().map(String.init).joined(separator: ", "))")
        }
    }

    /// `values(of:)` gives the value now, then each new one.
    private static func followOneKey(_ settings: SettingsStore) async throws {
        chapter("values(of: .port): the value now, then each change; equal writes are silent")
        var ports = settings.values(of: .port).makeAsyncIterator()
        say("  first      \(try await ports.expect())")
        try await settings.set(.port, to: 8080)
        say("  set 8080   (nothing: that is what it was)")
        for port in [9090, 9091] {
            try await settings.set(.port, to: port)
            say("  set \(port)   \(try await ports.expect())")
        }
    }

    /// A tuple stream never mixes two revisions.
    private static func followTwoKeysAtOnce(_ settings: SettingsStore) async throws {
        chapter("values(of: .host, .port): both of one revision, never the host of one and the port of another")
        var addresses = settings.values(of: .host, .port).makeAsyncIterator()
        let first = try await addresses.expect()
        say("  first                 \(first.0):\(first.1)")
        try await settings.update { transaction in
            transaction[.host] = "0.0.0.0"
            transaction[.port] = 80
        }
        let second = try await addresses.expect()
        say("  after one update      \(second.0):\(second.1)")
        let (host, port) = settings[.host, .port]
        say("  settings[.host, .port] is (\(host), \(port))")
    }

    /// A consumer that does not keep up blocks nobody and gets the newest.
    private static func beSlow(_ settings: SettingsStore) async throws {
        chapter("A slow consumer blocks no writer: what it has not taken is joined")
        var changes = settings.changes(of: .workers).makeAsyncIterator()
        for workers in 5...60 { settings[.workers] = workers }
        say("  56 assignments made, none taken")
        let joined = try await changes.expect()
        say("  one change: \(joined.old) -> \(joined.new), \(joined.joined) more joined into it")
        settings[.workers] = 1
        settings[.workers] = 60
        settings[.workers] = 4
        let next = try await changes.expect()
        say("  the next begins where that one ended: \(next.old) -> \(next.new)")
    }

    /// `.buffering` keeps changes apart, up to a limit.
    private static func keepChangesApart(_ settings: SettingsStore) async throws {
        chapter("changes(of: .workers, .buffering(3)): up to three are kept apart, then the last one joins")
        var changes = settings.changes(of: .workers, .buffering(3)).makeAsyncIterator()
        for workers in [10, 11, 12, 13, 14] { settings[.workers] = workers }
        for _ in 0..<3 {
            let change = try await changes.expect()
            say("  \(change.old) -> \(change.new)" + (change.joined > 0 ? ", \(change.joined) joined" : ""))
        }
    }

    /// An assignment is shown at once; if it cannot be written it is taken back, and told.
    private static func takeAnAssignmentBack(_ settings: SettingsStore, _ path: String) async throws {
        chapter("An assignment that cannot be written is taken back")
        try await settings.flush()
        let good = try TextFile.read(path)
        var changes = settings.changes(of: .port, .buffering(8)).makeAsyncIterator()
        var problems = settings.problems().makeAsyncIterator()
        say("  somebody saves half a file")
        try TextFile.write("{ \"service\": ", to: path)
        say("  problem    \(try await problems.expect().message)")
        say("  settings[.port] = 443")
        settings[.port] = 443
        let made = try await changes.expect()
        say("  change     \(made.old) -> \(made.new) (\(made.cause)): visible at once")
        let back = try await changes.expect()
        say("  change     \(back.old) -> \(back.new) (\(back.cause)): writing would destroy somebody's edit")
        do {
            try await settings.flush()
        } catch SettingsError.fileUnusable {
            say("  flush()    throws fileUnusable, once")
        }
        say("  and saves the rest")
        try TextFile.write(good, to: path)
        var resolved = 0
        while resolved == 0 {
            let problem = try await problems.expect()
            if problem.isResolved, problem.isFileUnusable { resolved += 1 }
        }
        say("  resolved   settings[.port] is \(settings[.port])")
    }

    /// `close()` serves what is queued, ends the streams, and then refuses.
    private static func shutDown(_ settings: SettingsStore, _ path: String) async throws {
        chapter("An ordered shutdown: run() until cancelled, then everything queued is on the disk")
        let service = Task { try await settings.run() }
        let followers = Task {
            var seen: [Int] = []
            for await port in settings.values(of: .port) { seen.append(port) }
            return seen
        }
        _ = try await settings.value(of: .ready, where: { $0 })
        settings[.port] = 8443
        say("  settings[.port] = 8443; the service is cancelled")
        service.cancel()
        try await service.value
        let last = await followers.value.last.map(String.init) ?? "nothing"
        say("  the follower's loop ended by itself; its last value is \(last)")
        say("  in the file: " + (try TextFile.read(path).contains("8443") ? "8443" : "something else"))
        do {
            try await settings.set(.port, to: 1)
        } catch SettingsError.closed {
            say("  set        throws closed; settings[.port] still reads \(settings[.port])")
        }
    }
}

/// A stream ended that should have gone on.
struct StreamEnded: Error {}

extension AsyncStream.Iterator {
    /// The next element, which must come.
    mutating func expect() async throws -> Element {
        guard let element = await next(isolation: #isolation) else { throw StreamEnded() }
        return element
    }
}
