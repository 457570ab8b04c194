import Locking
import LosslessJSON

/// Typed settings, read like variables, written durably and followed as streams.
///
/// A store keeps its settings in a file that people may edit too. It is open to all threads and tasks: reads and stream
/// registrations are synchronous, writes and lifecycle calls are awaited.
///
/// ```swift
/// let settings = try await SettingsStore.open(.file("service.json"), keys: [.port, .level])
/// let port = settings[.port]
/// try await settings.set(.port, to: 9090)
/// for await level in settings.values(of: .level) {
///     print("log level is \(level)")
/// }
/// ```
///
/// **Order.** Writes are served first come first served, each as one revision. All subscribers see the same order.
///
/// **Durability.** An awaited write returns when the new text has replaced the old one and is on the disk.
///
/// **Lifetime.** A store that nobody refers to any more stops watching its file and ends its streams, after it has served
/// the writes that were waiting. Streams do not keep it alive.
public final actor SettingsStore {
    // What readers and subscribers see. All of it is guarded by the publication's own lock.
    nonisolated let publication: Publication
    /// The publication's table, one step nearer for reads.
    @usableFromInline nonisolated let table: CellTable

    /// The executor of this actor, on which a backend may block.
    private nonisolated let lane: IOLane
    nonisolated let backend: any SettingsBackend

    /// Follows the backend's signals. Set once by `start`.
    private var follower: Task<Void, Never>?
    /// A text that was read and refused, with the error that says why: it is not refused, nor told, twice.
    private var refused: (text: [UInt8], error: SettingsError)?
    /// Whether there was ever a text with content: only then is a file that is gone or empty a problem.
    private var hadContent = false

    /// Runs the actor's work on its I/O lane.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe lane.asUnownedSerialExecutor() }

    private init(backend: any SettingsBackend) {
        self.backend = backend
        lane = IOLane()
        publication = Publication(snapshot: Snapshot(document: .nothing, location: backend.location))
        table = publication.table
    }

    deinit {
        follower?.cancel()
        backend.close()
        publication.finish()
    }

    // MARK: Opening

    /// What `open` does with a file that cannot be used.
    public enum InvalidFilePolicy: Sendable {
        /// It throws ``SettingsError/fileUnusable`` with all problems.
        case `throw`
        /// It opens with the defaults. The problems are published, and writes are refused until the file is mended.
        case useDefaults
    }

    /// Opens settings and reads them.
    ///
    /// A file that does not exist means that nothing is set; it is made by the first write, with mode 0600 if a key in
    /// `keys` is secret. Nothing is written by opening. The file is watched from before it is read, so no edit is missed.
    ///
    /// It reads on a thread of the store and blocks none of the caller's. A file that is being written, or that has
    /// been emptied a moment ago, is waited for, two seconds at most. The cost is that of reading and scanning the file.
    ///
    /// - Parameters:
    ///   - source: where the settings are.
    ///   - keys: the schema. These keys are checked as a whole now and with each change of the file: a file that holds an
    ///     invalid value for one of them is refused. A key that is not listed can be used too; an invalid value then
    ///     concerns that key alone.
    ///   - onInvalid: what to do with a file that cannot be used.
    /// - Throws: ``SettingsError``: `invalidKeys` when the keys do not go together, `fileUnusable` when the file does not
    ///   parse, is too large, is no file, cannot be read or holds invalid values. All problems are listed.
    @concurrent
    public static func open(
        _ source: SettingsSource, keys: [SettingKeys] = [], onInvalid: InvalidFilePolicy = .throw
    ) async throws -> SettingsStore {
        // Concurrent, so that the caller returns to its own executor by itself: left to this function, the compiler drops
        // the way back from the store's lane in release builds, and code on the main actor would go on there.
        let store = SettingsStore(backend: try source.makeBackend(hasSecrets: keys.contains(where: \.isSecret)))
        try await store.start(keys: keys, onInvalid: onInvalid)
        return store
    }

    /// A store without a file. It behaves like one with a file, and its writes are done when they return.
    ///
    /// - Throws: ``SettingsError/invalidKeys`` when the keys do not go together.
    @concurrent
    public static func inMemory(keys: [SettingKeys] = []) async throws -> SettingsStore {
        try await open(.backend(MemoryBackend()), keys: keys)
    }

    private func start(keys: [SettingKeys], onInvalid: InvalidFilePolicy) async throws {
        let signals = backend.signals
        do {
            try declare(keys)
            try adopt(await backend.load(isFirst: true))
        } catch SettingsError.fileUnusable where onInvalid == .useDefaults {
            // The problems stand published, and `refused` keeps writes away.
        } catch {
            backend.close()
            publication.finish()
            throw error
        }
        publishBackendProblems()
        follower = Task { [weak self] in
            for await _ in signals {
                guard let self else { return }
                noteSignal()
            }
        }
    }

    /// Makes the cells of the declared keys; throws all that is wrong with them.
    private func declare(_ keys: [SettingKeys]) throws {
        var problems: [SettingsProblem] = []
        for key in keys {
            if key.declare(in: publication) == nil {
                if let problem = publication.state.withLock({ $0.problems.standing[.key(key.name)] }) {
                    problems.append(problem)
                }
            } else if let refusal = key.defaultRefusal() {
                problems.append(
                    SettingsProblem(kind: .malformedKey, message: "\(key.name): \(refusal)", key: key.name))
            }
        }
        if !problems.isEmpty { throw SettingsError(.invalidKeys, problems: problems) }
    }

    // MARK: Serving

    /// Has the journal served. Called by whoever put the first item into it.
    nonisolated func startServing() { Task { await self.serve() } }

    /// Has the journal served a moment later, unless somebody has begun meanwhile. Called by whoever assigned first.
    nonisolated func scheduleServing() {
        Task {
            // Waking the lane costs more than an assignment; a burst of them pays once. A write that is awaited, or
            // `flush()`, does not wait for this.
            try? await Task.sleep(for: .microseconds(500))
            if publication.state.withLock({ $0.journal.beginScheduled() }) { await serve() }
        }
    }

    private nonisolated func noteSignal() {
        if publication.state.withLock({ $0.journal.append(.signal) }) { startServing() }
    }

    /// Serves the journal until it is empty. One call is running at a time; see ``Journal``.
    private func serve() async {
        while let batch = publication.state.withLock({ $0.journal.take() }) {
            switch batch {
            case .writes(let writes): await commit(writes)
            case .other(let item): await serve(item)
            }
        }
    }

    private func serve(_ item: Journal.Item) async {
        switch item {
        case .transaction(let transaction): await commit([.transaction(transaction)])
        case .assignments(let assignments): await commit([.assignments(assignments)])
        case .signal:
            // What is wrong with the file is published; nobody waits for the error.
            try? await look()
        case .reload(let waiter):
            do {
                try await look(isFirst: true)
                waiter.resume()
            } catch {
                waiter.resume(throwing: error)
            }
        case .flush(let waiter): waiter.resume(with: backgroundResult())
        case .close(let waiter):
            follower?.cancel()
            backend.close()
            publication.finish()
            waiter.resume(with: backgroundResult())
        }
    }

    /// Whether all assignments since the last time could be written; says a failure once.
    private func backgroundResult() -> Result<Void, any Error> {
        let failure = publication.state.withLock { state in
            defer { state.backgroundFailure = nil }
            return state.backgroundFailure
        }
        return failure.map { .failure($0) } ?? .success(())
    }

    private func look(isFirst: Bool = false) async throws {
        let reading = await backend.load(isFirst: isFirst)
        publishBackendProblems()
        try adopt(reading)
    }

    func publishBackendProblems() {
        var problems: [ProblemSubject: SettingsProblem] = [:]
        for problem in backend.standingProblems {
            problems[problem.kind == .degraded ? .watching : .writing] = problem
        }
        publication.publish(problems: problems) { subject, _ in subject == .watching || subject == .writing }
    }

    // MARK: Taking what is there

    /// Publishes what the backend holds if it differs from what is published.
    ///
    /// - Throws: ``SettingsError/fileUnusable`` when it cannot be used. The problems are published then, and the last good
    ///   values stay.
    func adopt(_ reading: SettingsBackendReading) throws {
        switch reading {
        case .unsettled: break
        case .text(let text): try adopt(text)
        case .missing: try adoptNothing(.missing, "the file is gone; the last values stay")
        case .empty: try adoptNothing(.empty, "the file is empty; the last values stay ({} says that nothing is set)")
        case .unusable(var problem):
            // Whatever kind a backend gives it: it stands until there is a text that can be used.
            problem.isFileUnusable = true
            throw refuse([.file: problem], text: nil)
        }
    }

    private func adoptNothing(_ kind: SettingsProblem.Kind, _ message: String) throws {
        refused = nil
        guard hadContent else { return resolve() }
        publication.publish(
            problems: [.file: SettingsProblem(kind: kind, message: message, file: backend.location)]
        ) { _, problem in problem.isFileUnusable }
    }

    private func adopt(_ text: [UInt8]) throws {
        if let refused, refused.text == text { throw refused.error }
        let old = publication.snapshot
        if old.document.hasSameBytes(as: text), hadContent || text.isEmpty {
            refused = nil
            return resolve()
        }
        let document: JSONDocument
        do throws(JSONSyntaxError) {
            document = try JSONDocument(text, options: .settings)
        } catch {
            let problem = SettingsProblem(
                kind: .syntax, message: "found \(error.found), expected \(error.expected)", file: backend.location,
                line: error.place.line, column: error.place.column)
            throw refuse([.file: problem], text: text)
        }
        if let root = document.root, root.kind != .object {
            let place = root.place
            let problem = SettingsProblem(
                kind: .invalid, message: "expected an object at the root of the settings", file: backend.location,
                line: place.line, column: place.column, isFileUnusable: true)
            throw refuse([.file: problem], text: text)
        }
        let changed = JSONDocument.differences(from: old.document, to: document)
        let candidate = publication.prepare(
            Snapshot(document: document, location: backend.location), changed: changed.compactMap(SettingPath.init))
        let refusals = candidate.refusals
        if !refusals.isEmpty {
            var problems: [ProblemSubject: SettingsProblem] = [:]
            for var problem in refusals {
                problem.isFileUnusable = true
                problems[problem.key.map(ProblemSubject.value) ?? .file] = problem
            }
            throw refuse(problems, text: text)
        }
        refused = nil
        hadContent = true
        publication.publish(candidate, cause: .external, contentProblems: duplicates(in: document))
    }

    /// The text that was just written is what is there.
    func noteWritten() {
        hadContent = true
        refused = nil
        resolve()
    }

    /// Publishes why what is there cannot be used, in the place of what made it unusable before.
    private func refuse(_ problems: [ProblemSubject: SettingsProblem], text: [UInt8]?) -> SettingsError {
        let error = SettingsError(.fileUnusable, problems: Array(problems.values))
        refused = text.map { ($0, error) }
        publication.publish(problems: problems) { _, problem in problem.isFileUnusable }
        return error
    }

    /// The file can be used again, and holds what is published.
    private func resolve() {
        publication.publish(problems: [:]) { _, problem in problem.isFileUnusable }
    }

    func duplicates(in document: JSONDocument) -> [ProblemSubject: SettingsProblem] {
        var problems: [ProblemSubject: SettingsProblem] = [:]
        for duplicate in document.duplicates {
            guard let path = SettingPath(duplicate.path)?.canonical, let last = duplicate.spellings.last else {
                continue
            }
            let place = last.place
            problems[.duplicate(path.description)] = SettingsProblem(
                kind: .duplicate, message: "\(path) is set \(duplicate.spellings.count) times; this one counts",
                key: path.description, file: backend.location, line: place.line, column: place.column)
        }
        return problems
    }
}

extension JSONDocument {
    /// The text in which nothing is set.
    static let nothing: JSONDocument = {
        do throws(JSONSyntaxError) { return try JSONDocument([], options: .settings) } catch {
            preconditionFailure("an empty text is a settings text: \(error)")
        }
    }()
}
