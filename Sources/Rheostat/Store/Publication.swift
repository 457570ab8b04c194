import Locking
import Synchronization

/// What readers and subscribers of one store see: the published snapshot, the cells, the streams, the problems and the
/// journal, all guarded by one lock.
///
/// Every publication and every registration happens in one hold of the lock, so nobody misses an event, sees it twice or
/// starts from a stale value. Inside it runs no code of the user: values are decoded, compared and validated outside, and
/// again if the state moved meanwhile. Nobody is resumed inside it either; that is what ``Wakes`` is for.
///
/// The lock order is: publication, then a cell's value or a mailbox.
final class Publication: Sendable {
    struct State: Sendable {
        var snapshot: Snapshot
        /// Rises by one with every publication that changes something.
        var revision: UInt64 = 0
        /// One for each key used, by the key's index.
        var cells: [Int: AnySettingCell] = [:]
        var cellsByPath = CellIndex()
        var commitReceivers = SlotMap<Mailbox<JoinedCommit>>()
        var snapshotReceivers = SlotMap<Mailbox<NewestSnapshot>>()
        var problems = ProblemBoard()
        var journal = Journal()
        /// Set by `close()` when it is called: what comes later is refused.
        var isClosed = false
        /// Streams have ended; new ones are ended from the start.
        var isFinished = false
    }

    let table: CellTable
    let state: Lock<State>

    init(snapshot: Snapshot) {
        table = CellTable()
        state = Lock(State(snapshot: snapshot))
    }

    deinit {
        for cell in state.withLock({ Array($0.cells.values) }) { unsafe Unmanaged.passUnretained(cell).release() }
        table.deallocate()
    }

    /// What is published now.
    var snapshot: Snapshot { state.withLock { $0.snapshot } }

    /// The revision of what is published now.
    var revision: UInt64 { state.withLock { $0.revision } }

    // MARK: Cells

    /// The cell of `key`, made from the published snapshot on first use.
    ///
    /// `nil` for a key that cannot be used with this store; a problem then says why, and the caller goes on with the
    /// key's default.
    func cell<Value>(for key: SettingKey<Value>, isDeclared: Bool = false) -> SettingCell<Value>? {
        if let cell = existingCell(for: key) { return cell }
        guard case .success(let path) = key.path else {
            report(key, .malformedKey)
            return nil
        }
        while true {
            let snapshot = snapshot
            let cell = SettingCell(key: key, path: path, isDeclared: isDeclared)
            let prepared = cell.prepare(in: snapshot)
            var wakes = Wakes()
            let outcome: CellOutcome = state.withLock { state in
                guard state.snapshot === snapshot else { return .movedOn }
                if state.cells[key.index] != nil { return .movedOn }
                if let conflict = state.cellsByPath.conflict(with: cell) { return .refused(conflict) }
                prepared.apply?(PublicationStamp(cause: .local, revision: state.revision), &wakes)
                if let problem = prepared.problem {
                    state.problems.replace(
                        { subject, _ in subject == .value(key.name) }, by: [.value(key.name): problem.concerningOneKey],
                        &wakes)
                }
                state.cells[key.index] = cell
                state.cellsByPath.insert(cell)
                let address = unsafe UInt(bitPattern: Unmanaged.passRetained(cell as AnySettingCell).toOpaque())
                let entry = unsafe table.makeEntry(at: key.index)
                unsafe entry.pointee.cell.store(address, ordering: .releasing)
                return .made
            }
            wakes.run()
            switch outcome {
            case .made: return cell
            case .movedOn: if let cell = existingCell(for: key) { return cell }
            case .refused(let conflict):
                report(conflict)
                return nil
            }
        }
    }

    private enum CellOutcome {
        case made
        case movedOn
        case refused(SettingsProblem)
    }

    private func existingCell<Value>(for key: SettingKey<Value>) -> SettingCell<Value>? {
        state.withLock { $0.cells[key.index] } as? SettingCell<Value>
    }

    private func report(_ key: SettingKeys, _ kind: SettingsProblem.Kind) {
        guard case .failure(let malformed) = key.path else { return }
        report(SettingsProblem(kind: kind, message: malformed.description, key: key.name))
    }

    private func report(_ problem: SettingsProblem) {
        guard let name = problem.key else { return }
        publish(problems: [.key(name): problem]) { subject, _ in subject == .key(name) }
    }

    // MARK: Publishing

    /// Replaces the standing problems for which `isConcerned` holds.
    func publish(
        problems: [ProblemSubject: SettingsProblem], replacing isConcerned: (ProblemSubject, SettingsProblem) -> Bool
    ) {
        var wakes = Wakes()
        state.withLock { $0.problems.replace(isConcerned, by: problems, &wakes) }
        wakes.run()
    }

    /// What `snapshot` means for the cells that the changed `paths` concern: all that was worked out without a lock.
    struct Candidate: Sendable {
        let snapshot: Snapshot
        let paths: [SettingPath]?
        fileprivate var prepared: [ObjectIdentifier: PreparedCell] = [:]

        /// What keeps the snapshot from being published: invalid values of declared keys.
        var refusals: [SettingsProblem] {
            prepared.values.compactMap { $0.cell.isDeclared ? $0.problem : nil }.sorted { $0.order < $1.order }
        }
    }

    /// Decodes and validates what changed; `paths` are the places where the text differs, `nil` for everywhere.
    func prepare(_ snapshot: Snapshot, changed paths: [SettingPath]?) -> Candidate {
        var candidate = Candidate(snapshot: snapshot, paths: paths)
        extend(&candidate, to: state.withLock { cells(concernedBy: paths, in: $0) })
        return candidate
    }

    private func cells(concernedBy paths: [SettingPath]?, in state: State) -> [AnySettingCell] {
        var cells: [AnySettingCell] = []
        if let paths {
            for path in paths { state.cellsByPath.forEach(concernedBy: path) { cells.append($0) } }
        } else {
            state.cellsByPath.forEach { cells.append($0) }
        }
        return cells
    }

    private func extend(_ candidate: inout Candidate, to cells: [AnySettingCell]) {
        for cell in cells where candidate.prepared[ObjectIdentifier(cell)] == nil {
            candidate.prepared[ObjectIdentifier(cell)] = cell.prepare(in: candidate.snapshot)
        }
    }

    /// Publishes the candidate as one revision, with `fileProblems` in the place of all that stood about the content.
    ///
    /// Called on the I/O lane only, so the snapshot and the cells' values have not moved since `prepare`; cells may have
    /// been added, and are prepared now.
    func publish(
        _ candidate: Candidate, cause: ChangeCause, contentProblems: [ProblemSubject: SettingsProblem]? = nil
    ) {
        var candidate = candidate
        while true {
            var wakes = Wakes()
            let missing: [AnySettingCell] = state.withLock { state in
                let missing = cells(concernedBy: candidate.paths, in: state)
                    .filter { candidate.prepared[ObjectIdentifier($0)] == nil }
                if missing.isEmpty { apply(candidate, cause, contentProblems, to: &state, &wakes) }
                return missing
            }
            if missing.isEmpty {
                wakes.run()
                return
            }
            extend(&candidate, to: missing)
        }
    }

    private func apply(
        _ candidate: Candidate, _ cause: ChangeCause, _ contentProblems: [ProblemSubject: SettingsProblem]?,
        to state: inout State, _ wakes: inout Wakes
    ) {
        let old = state.snapshot
        state.snapshot = candidate.snapshot
        let changed = candidate.prepared.values.filter { $0.apply != nil }
        let hasOtherChanges = candidate.paths.map { !$0.isEmpty } ?? true
        if !changed.isEmpty || hasOtherChanges { state.revision += 1 }
        let stamp = PublicationStamp(cause: cause, revision: state.revision)
        for cell in changed { cell.apply?(stamp, &wakes) }
        if !changed.isEmpty, !state.commitReceivers.isEmpty {
            let commit = SettingsCommit(
                keys: Set(changed.map(\.cell.anyKey.name)), cause: cause, revision: stamp.revision)
            state.commitReceivers.forEach { $0.offer(&wakes) { $0.join(commit) } }
        }
        if hasOtherChanges, !state.snapshotReceivers.isEmpty {
            let step = NewestSnapshot.Step(from: old, to: candidate.snapshot, stamp: stamp)
            state.snapshotReceivers.forEach { $0.offer(&wakes) { $0.join(step) } }
        }
        // What was said of keys that this publication does not concern stays said.
        var problems = state.problems.standing.filter { subject, problem in
            guard !problem.isFileUnusable else { return false }
            return switch subject {
            case .value: true
            case .duplicate: contentProblems == nil
            default: false
            }
        }
        if let contentProblems { problems.merge(contentProblems) { _, new in new } }
        for prepared in candidate.prepared.values {
            let subject = ProblemSubject.value(prepared.cell.anyKey.name)
            problems[subject] = prepared.problem?.concerningOneKey
        }
        state.problems.replace({ subject, _ in subject.isAboutContent }, by: problems, &wakes)
    }

    // MARK: Ending

    /// Ends all streams; later ones are ended from the start. Reads keep the last values.
    func finish() {
        var wakes = Wakes()
        state.withLock { state in
            state.isFinished = true
            for cell in state.cells.values { cell.finish(&wakes) }
            state.commitReceivers.forEach { $0.finish(&wakes) }
            state.commitReceivers = SlotMap()
            state.snapshotReceivers.forEach { $0.finish(&wakes) }
            state.snapshotReceivers = SlotMap()
            state.problems.finish(&wakes)
        }
        wakes.run()
    }

    /// How many items wait in the journal; for tests.
    var journalCount: Int { state.withLock { $0.journal.count } }

    /// How many streams are registered; for tests.
    var subscriberCount: Int {
        state.withLock { state in
            state.cells.values.reduce(0) { $0 + $1.receiverCount } + state.commitReceivers.count
                + state.snapshotReceivers.count + state.problems.receivers.count
        }
    }
}
