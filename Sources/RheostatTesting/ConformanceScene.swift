import Dispatch
import Locking
import Rheostat

/// What one check works with: a place, and the backends opened on it.
final class ConformanceScene: Sendable {
    let check: String
    let place: SettingsBackendConformance.Place
    let options: SettingsBackendConformance.Options
    private let drivers = Lock<[BackendDriver]>([])

    init(check: String, place: SettingsBackendConformance.Place, options: SettingsBackendConformance.Options) {
        self.check = check
        self.place = place
        self.options = options
    }

    /// Opens a backend and begins to follow its signals, as a store does before it reads.
    func open() async throws -> BackendDriver {
        let driver = BackendDriver(try await place.open())
        drivers.withLock { $0.append(driver) }
        return driver
    }

    func closeAll() async {
        for driver in drivers.withLock({ $0 }) { await driver.close() }
    }

    // MARK: Expecting

    func failure(_ expectation: String, found: String) -> ConformanceFailure {
        ConformanceFailure(check: check, expectation: expectation, found: found)
    }

    func expect(_ condition: Bool, _ expectation: String, found: @autoclosure () -> String) throws {
        if !condition { throw failure(expectation, found: found()) }
    }

    /// The text as seen from outside is `text`.
    func expectText(_ text: [UInt8]?, _ when: String) async throws {
        let found = try await place.text()
        try expect(found == text, "\(describe(text)) to be there \(when)", found: describe(found))
    }

    func expectLoad(_ text: [UInt8], by driver: BackendDriver, _ when: String) async throws {
        let reading = await driver.load(isFirst: true)
        try expect(reading.text == text, "a load to give \(describe(text)) \(when)", found: describe(reading))
    }

    /// Waits for `condition`; what does not come in time is a failure of the check.
    func wait<State>(
        for expectation: String, on watched: Watched<State>, until condition: @escaping @Sendable (State) -> Bool
    ) async throws {
        do {
            try await watched.wait(within: options.waitLimit, until: condition) { "nothing of the kind, but \($0)" }
        } catch let timeout as WaitTimeout {
            throw failure(expectation, found: timeout.description)
        }
    }

    /// Loads at each signal after `seen` until `isExpected` holds.
    func follow(
        _ driver: BackendDriver, after seen: Int, to expectation: String,
        _ isExpected: (SettingsBackendReading) throws -> Bool
    ) async throws {
        var seen = seen
        var last: SettingsBackendReading?
        while true {
            let heard = seen
            try await wait(
                for: "a signal, and a load after it to give \(expectation)"
                    + (last.map { " (the last load gave \(describe($0)))" } ?? ""),
                on: driver.signals
            ) { $0.count > heard || $0.hasEnded }
            let now = driver.signals.value
            try expect(
                now.count > heard, "a signal, and a load after it to give \(expectation)",
                found: "the end of the signals")
            seen = now.count
            let reading = await driver.load()
            if try isExpected(reading) { return }
            last = reading
        }
    }

    // MARK: Describing

    func describe(_ text: [UInt8]?) -> String {
        guard let text else { return "no text" }
        let beginning = String(decoding: text.prefix(60), as: UTF8.self)
        return text.count > 60 ? "\(beginning.debugDescription)… (\(text.count) bytes)" : beginning.debugDescription
    }

    func describe(_ reading: SettingsBackendReading) -> String {
        switch reading {
        case .text(let text): describe(text)
        case .missing: "missing"
        case .empty: "empty"
        case .unusable(let problem): "unusable (\(problem))"
        case .unsettled: "unsettled"
        }
    }
}

extension SettingsBackendReading {
    /// The text, if there is one.
    var text: [UInt8]? {
        if case .text(let text) = self { text } else { nil }
    }

    var isMissing: Bool {
        if case .missing = self { true } else { false }
    }
}

/// Uses a backend as a store does: one call at a time, on a thread where it may block, following its signals.
actor BackendDriver {
    struct Signals: Sendable, CustomStringConvertible {
        var count = 0
        var hasEnded = false
        var description: String { "\(count) signals\(hasEnded ? " and their end" : "")" }
    }

    nonisolated let backend: any SettingsBackend
    /// What came, once ``listen()`` was called.
    nonisolated let signals = Watched(Signals())
    private nonisolated let thread = BackendThread()
    private nonisolated let stream: AsyncStream<Void>

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    init(_ backend: any SettingsBackend) {
        self.backend = backend
        stream = backend.signals
    }

    /// Begins to take the signals. Until then nobody does.
    nonisolated func listen() {
        Task { [stream, signals] in
            for await _ in stream { signals.update { $0.count += 1 } }
            signals.update { $0.hasEnded = true }
        }
    }

    func load(isFirst: Bool = false) async -> SettingsBackendReading { await backend.load(isFirst: isFirst) }

    @discardableResult
    func commit(
        _ transform: @Sendable (SettingsBackendReading) throws -> [UInt8]?
    ) async throws -> SettingsBackendCommit {
        try await backend.commit(transform)
    }

    func close() { backend.close() }
}

/// A thread of its own while there is work.
private final class BackendThread: SerialExecutor {
    private let queue = DispatchQueue(label: "rheostat.conformance")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
