import Locking
import LosslessJSON
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
        /// Why an assignment could not be written; the next `flush()` or `close()` throws it.
        var backgroundFailure: SettingsError?
        /// Set by `close()` when it is called: what comes later is refused.
        var isClosed = false
        /// Streams have ended; new ones are ended from the start.
        var isFinished = false

        /// Whether `cell` shows an assignment that is not on the disk yet.
        func isAssigned(_ cell: AnySettingCell) -> Bool { cell.isAssigned(besides: []) }
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
        let path: SettingPath
        switch key.path {
        case .success(let good): path = good
        case .failure(let malformed):
            report(SettingsProblem(kind: .malformedKey, message: malformed.description, key: key.name))
            return nil
        }
        while true {
            let snapshot = snapshot
            let cell = SettingCell(key: key, path: path, isDeclared: isDeclared)
            let prepared = cell.prepare(in: snapshot, for: self)
            var wakes = Wakes()
            let outcome: CellOutcome = state.withLock { state in
                guard state.snapshot === snapshot, state.cells[key.index] == nil else { return .movedOn }
                if let conflict = state.cellsByPath.conflict(with: cell) { return .refused(conflict) }
                prepared.apply?([], PublicationStamp(cause: .local, revision: state.revision), &wakes)
                if let problem = prepared.problem {
                    state.problems.replace(
                        { subject, _ in subject == .value(key.name) },
                        by: [.value(key.name): problem.concerningOneKey], &wakes)
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
        let paths: [SettingPath]
        fileprivate var prepared: [ObjectIdentifier: PreparedCell] = [:]

        /// What keeps the snapshot from being published: invalid values of declared keys.
        var refusals: [SettingsProblem] {
            prepared.values.compactMap { $0.cell.isDeclared ? $0.problem : nil }.sorted { $0.order < $1.order }
        }
    }

    /// Decodes and validates what changed; `paths` are the places where the text differs.
    func prepare(_ snapshot: Snapshot, changed paths: [SettingPath]) -> Candidate {
        var candidate = Candidate(snapshot: snapshot, paths: paths)
        extend(&candidate, by: state.withLock { cells(concernedBy: paths, in: $0) })
        return candidate
    }

    private func cells(concernedBy paths: [SettingPath], in state: State) -> [AnySettingCell] {
        var cells: [AnySettingCell] = []
        for path in paths { state.cellsByPath.forEach(concernedBy: path) { cells.append($0) } }
        return cells
    }

    private func extend(_ candidate: inout Candidate, by cells: [AnySettingCell]) {
        for cell in cells {
            candidate.prepared[ObjectIdentifier(cell)] = cell.prepare(in: candidate.snapshot, for: self)
        }
    }

    /// Publishes the candidate as one revision.
    ///
    /// Called on the I/O lane only, so the snapshot has not moved since `prepare`. Cells may have been added or assigned
    /// to; those are worked out again.
    ///
    /// - Parameters:
    ///   - settled: the assignments that are in the snapshot now. They are no longer shown above it.
    ///   - contentProblems: what stands in the place of the problems about the content that stood; `nil` leaves them.
    func publish(
        _ candidate: Candidate, cause: ChangeCause, settling settled: Set<AssignmentID> = [],
        contentProblems: [ProblemSubject: SettingsProblem]? = nil
    ) {
        var candidate = candidate
        while true {
            var wakes = Wakes()
            let stale: [AnySettingCell] = state.withLock { state in
                let stale = cells(concernedBy: candidate.paths, in: state)
                    .filter { candidate.prepared[ObjectIdentifier($0)]?.version != $0.version }
                if stale.isEmpty { apply(candidate, cause, settled, contentProblems, to: &state, &wakes) }
                return stale
            }
            if stale.isEmpty {
                wakes.run()
                return
            }
            extend(&candidate, by: stale)
        }
    }

    private func apply(
        _ candidate: Candidate, _ cause: ChangeCause, _ settled: Set<AssignmentID>,
        _ contentProblems: [ProblemSubject: SettingsProblem]?, to state: inout State, _ wakes: inout Wakes
    ) {
        let old = state.snapshot
        state.snapshot = candidate.snapshot
        let prepared = Array(candidate.prepared.values)
        show(prepared, cause, settling: settled, isRevision: !candidate.paths.isEmpty, in: &state, &wakes)
        if !candidate.paths.isEmpty, !state.snapshotReceivers.isEmpty {
            let step = NewestSnapshot.Step(
                from: old, to: candidate.snapshot, stamp: PublicationStamp(cause: cause, revision: state.revision))
            state.snapshotReceivers.forEach { $0.offer(&wakes) { $0.join(step) } }
        }
        // What was said of keys that this publication does not concern stays said.
        var problems = state.problems.standing.filter { subject, problem in
            guard !problem.isFileUnusable else { return false }
            return switch subject {
            case .value, .assignment: true
            case .duplicate: contentProblems == nil
            default: false
            }
        }
        if let contentProblems { problems.merge(contentProblems) { _, new in new } }
        for prepared in prepared {
            let name = prepared.cell.anyKey.name
            problems[.value(name)] = prepared.problem?.concerningOneKey
            problems[.assignment(name)] = nil
        }
        state.problems.replace({ subject, _ in subject.isAboutContent }, by: problems, &wakes)
    }

    /// Puts what was prepared into the cells and tells of it as one revision.
    private func show(
        _ prepared: [PreparedCell], _ cause: ChangeCause, settling settled: Set<AssignmentID>, isRevision: Bool,
        in state: inout State, _ wakes: inout Wakes
    ) {
        let changed = prepared.filter { $0.changesEffectiveValue(settling: settled) }
        if isRevision || !changed.isEmpty { state.revision += 1 }
        let stamp = PublicationStamp(cause: cause, revision: state.revision)
        table.beginChange()
        for cell in prepared { cell.apply?(settled, stamp, &wakes) }
        table.endChange()
        tell(changed.map(\.cell), stamp, in: &state, &wakes)
    }

    private func tell(
        _ changed: [AnySettingCell], _ stamp: PublicationStamp, in state: inout State, _ wakes: inout Wakes
    ) {
        guard !changed.isEmpty, !state.commitReceivers.isEmpty else { return }
        let commit = SettingsCommit(
            keys: Set(changed.map(\.anyKey.name)), cause: stamp.cause, revision: stamp.revision)
        state.commitReceivers.forEach { $0.offer(&wakes) { $0.join(commit) } }
    }

    // MARK: Assigning

    /// Shows `value` as the value of `cell`'s key and puts it into the journal.
    ///
    /// - Returns: whether the caller must see to it that the journal is served shortly.
    func assign<Value>(_ value: Value, text: JSONDocument, to cell: SettingCell<Value>) -> Bool {
        while true {
            let (old, version) = cell.current(in: self)
            let isDifferent = !value.isSame(as: old)
            var wakes = Wakes()
            let outcome: (isDone: Bool, mustSchedule: Bool) = state.withLock { state in
                if state.isClosed { return (true, false) }
                guard cell.version == version else { return (false, false) }
                let (id, mustSchedule) = state.journal.assign(text, to: cell)
                if isDifferent { state.revision += 1 }
                let stamp = PublicationStamp(cause: .local, revision: state.revision)
                table.beginChange()
                cell.assign(value, as: id, insteadOf: isDifferent ? old : nil, stamp, &wakes)
                table.endChange()
                if isDifferent { tell([cell], stamp, in: &state, &wakes) }
                state.problems.replace(
                    { subject, _ in subject == .assignment(cell.key.name) }, by: [:], &wakes)
                return (true, mustSchedule)
            }
            wakes.run()
            if outcome.isDone { return outcome.mustSchedule }
        }
    }

    /// Takes assignments back that could not be written: their keys show what is committed, or a later assignment.
    func withdraw(_ failed: Set<AssignmentID>, of cells: [AnySettingCell], because error: SettingsError) {
        var done = false
        while !done {
            let prepared = cells.compactMap { $0.prepare(withdrawing: failed, in: self) }
            var wakes = Wakes()
            done = state.withLock { state in
                guard prepared.allSatisfy({ $0.version == $0.cell.version }) else { return false }
                show(prepared, .rollback, settling: failed, isRevision: false, in: &state, &wakes)
                state.backgroundFailure = state.backgroundFailure ?? error
                state.problems.replace({ subject, _ in subject == .unwritten }, by: [.unwritten: error.problem], &wakes)
                return true
            }
            wakes.run()
        }
    }

    /// Keeps a failure that nobody waited for, until `flush()` or `close()` throws it.
    func noteBackgroundFailure(_ error: SettingsError) {
        state.withLock { $0.backgroundFailure = $0.backgroundFailure ?? error }
    }

    /// Forgets assignments that changed nothing in the text, since it said the same already.
    func settle(_ settled: Set<AssignmentID>, of cells: [AnySettingCell]) {
        var done = false
        while !done {
            let prepared = cells.compactMap { $0.prepare(withdrawing: settled, in: self) }
            var wakes = Wakes()
            done = state.withLock { state in
                guard prepared.allSatisfy({ $0.version == $0.cell.version }) else { return false }
                show(prepared, .local, settling: settled, isRevision: false, in: &state, &wakes)
                return true
            }
            wakes.run()
        }
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

    /// How many items of callers wait in the journal; for tests.
    var journalCount: Int { state.withLock { $0.journal.count } }

    /// How many streams are registered; for tests.
    var subscriberCount: Int {
        state.withLock { state in
            state.cells.values.reduce(0) { $0 + $1.receiverCount } + state.commitReceivers.count
                + state.snapshotReceivers.count + state.problems.receivers.count
        }
    }
}
