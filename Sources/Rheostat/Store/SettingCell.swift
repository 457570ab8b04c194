public import Locking
import LosslessJSON

/// What a store knows of one key: its effective value and who follows it. The part that is common to all types.
///
/// Life of a cell: it is made when its key is first used with the store (at `open` for declared keys), filled from the
/// published state, and from then on follows each publication until the store goes.
@usableFromInline
class AnySettingCell: @unchecked Sendable {
    // Sound: the mutable state says of each field what guards it.

    /// The key's name taken apart.
    let path: SettingPath
    /// Whether the key was given to `open`: then an invalid value refuses the whole file.
    let isDeclared: Bool
    /// Rises whenever what the cell holds changes, so that what was worked out without a lock can be told to be old.
    /// Guarded by the publication lock.
    fileprivate(set) var version: UInt64 = 0

    /// The value's bytes, where they are all there is to it and the type's reads look for them. Written with the lock of
    /// the value held.
    @usableFromInline final let words = SettingWordPair()

    init(path: SettingPath, isDeclared: Bool) {
        self.path = path
        self.isDeclared = isDeclared
    }

    /// The key, without its type.
    var anyKey: SettingKeys { fatalError("only SettingCell derives from AnySettingCell") }

    /// Works out what `snapshot` means for this key. Runs code of the user; never called under a lock.
    func prepare(in snapshot: Snapshot, for publication: Publication) -> PreparedCell {
        fatalError("only SettingCell derives from AnySettingCell")
    }

    /// Works out what the key's value is once the assignments in `failed` are taken back; `nil` when it has none of them.
    /// Runs code of the user; never called under a lock.
    func prepare(withdrawing failed: Set<AssignmentID>, in publication: Publication) -> PreparedCell? {
        fatalError("only SettingCell derives from AnySettingCell")
    }

    /// Why what `snapshot` holds for the key is not its value; `nil` when it is. Runs code of the user.
    func problem(in snapshot: Snapshot) -> SettingsProblem? {
        fatalError("only SettingCell derives from AnySettingCell")
    }

    /// Whether an assignment besides those in `settled` is shown. Called with the publication lock held.
    func isAssigned(besides settled: Set<AssignmentID>) -> Bool {
        fatalError("only SettingCell derives from AnySettingCell")
    }

    /// Ends the streams of this key. Called with the publication lock held.
    func finish(_ wakes: inout Wakes) { fatalError("only SettingCell derives from AnySettingCell") }

    /// How many streams follow this key. Called with the publication lock held.
    var receiverCount: Int { fatalError("only SettingCell derives from AnySettingCell") }
}

/// What a snapshot holds for a key.
enum CellReading<Value> {
    /// The value, or the default when nothing is set.
    case value(Value)
    /// A value that the key does not take.
    case invalid(SettingsProblem)
}

/// What a publication means for one cell, worked out without a lock.
struct PreparedCell: Sendable {
    let cell: AnySettingCell
    /// The cell's version that it was worked out for.
    let version: UInt64
    /// Why the stored value cannot be used; the cell keeps its value then.
    var problem: SettingsProblem?
    /// Whether the value differs from the effective one.
    var isDifferent = false
    /// Whether the value counts even if assignments remain: it is one of them then.
    var isAboveAssignments = false
    /// Puts the value in, forgets the assignments that are `settled`, and tells the streams if the effective value
    /// changes. Called with the publication lock held, at `version`; runs no code of the user.
    var apply: (@Sendable (_ settled: Set<AssignmentID>, _ stamp: PublicationStamp, _ wakes: inout Wakes) -> Void)?

    /// Whether applying it changes what readers see. Called with the publication lock held.
    func changesEffectiveValue(settling settled: Set<AssignmentID>) -> Bool {
        isDifferent && (isAboveAssignments || !cell.isAssigned(besides: settled))
    }
}

/// The cell of a key with values of one type.
///
/// Its effective value is the last assignment that is not settled, or else what is committed.
@usableFromInline
final class SettingCell<Value: SettingValue>: AnySettingCell, @unchecked Sendable {
    // Sound: see the fields.

    let key: SettingKey<Value>

    /// The effective value. Readers lock this alone; it changes only while the publication lock is held too.
    @usableFromInline let value: Lock<Value>

    /// What the published snapshot holds, or the last good value. Guarded by the publication lock.
    private var committed: Value
    /// Assignments on their way to the disk, in the order of the journal. Guarded by the publication lock.
    private var assigned: [(id: AssignmentID, value: Value)] = []

    /// Who follows. Guarded by the publication lock.
    var receivers = SlotMap<any ChangeReceiver<Value>>()

    /// Copies a value to where it is read without a lock, if its bytes are all there is to it. Guarded by the publication
    /// lock.
    var storeWords: ((Value) -> Void)?

    /// A cell that has the key's default until it is filled.
    init(key: SettingKey<Value>, path: SettingPath, isDeclared: Bool) {
        self.key = key
        value = Lock(key.defaultValue)
        committed = key.defaultValue
        super.init(path: path, isDeclared: isDeclared)
    }

    override var anyKey: SettingKeys { key }

    /// The effective value now.
    @inlinable
    func load() -> Value { value.withLock { $0 } }

    /// What `snapshot` holds for the key: the value, its default when nothing is set, or why it cannot be used.
    func read(from snapshot: Snapshot) -> CellReading<Value> {
        guard let match = snapshot.document.find(path.json) else { return .value(key.defaultValue) }
        let reader = SettingReader(match.value)
        let error: SettingValueError
        do {
            let value = try Value.read(from: reader)
            do throws(SettingRules<Value>.Refusal) {
                try key.rules.check(value)
                return .value(value)
            } catch {
                throw reader.refusal(error.expectation(quoting: !key.isSecret))
            }
        } catch let caught as SettingValueError {
            error = caught
        } catch let other {
            // What a type of the user's throws may quote the value.
            error = reader.refusal("a value that \(Value.self) can read" + (key.isSecret ? "" : ": \(other)"))
        }
        return .invalid(
            SettingsProblem(
                kind: .invalid, message: "\(path): " + error.message(quoting: !key.isSecret), key: key.name,
                file: snapshot.location, line: error.line, column: error.column))
    }

    override func problem(in snapshot: Snapshot) -> SettingsProblem? {
        if case .invalid(let problem) = read(from: snapshot) { problem } else { nil }
    }

    // MARK: Publishing

    /// The effective value and its version. Not called under the publication lock.
    func current(in publication: Publication) -> (value: Value, version: UInt64) {
        publication.state.withLock { _ in (load(), version) }
    }

    override func prepare(in snapshot: Snapshot, for publication: Publication) -> PreparedCell {
        let (old, version) = current(in: publication)
        switch read(from: snapshot) {
        case .invalid(let problem): return PreparedCell(cell: self, version: version, problem: problem)
        case .value(let new): return prepare(new, over: old, at: version)
        }
    }

    override func prepare(withdrawing failed: Set<AssignmentID>, in publication: Publication) -> PreparedCell? {
        let (isConcerned, new, old, version) = publication.state.withLock { _ in
            let others = assigned.filter { !failed.contains($0.id) }
            return (others.count < assigned.count, others.last.map(\.value) ?? committed, load(), self.version)
        }
        guard isConcerned else { return nil }
        var prepared = prepare(new, over: old, at: version)
        prepared.isAboveAssignments = true
        prepared.apply = { [self, isDifferent = prepared.isDifferent] settled, stamp, wakes in
            assigned.removeAll { settled.contains($0.id) }
            self.version += 1
            if isDifferent { show(new, insteadOf: old, stamp, &wakes) }
        }
        return prepared
    }

    private func prepare(_ new: Value, over old: Value, at version: UInt64) -> PreparedCell {
        let isDifferent = !new.isSame(as: old)
        return PreparedCell(cell: self, version: version, isDifferent: isDifferent) {
            [self] settled, stamp, wakes in
            committed = new
            assigned.removeAll { settled.contains($0.id) }
            self.version += 1
            if isDifferent, assigned.isEmpty { show(new, insteadOf: old, stamp, &wakes) }
        }
    }

    /// Shows an assignment. Called with the publication lock held.
    ///
    /// - Parameter old: the effective value, if `new` differs from it.
    func assign(
        _ new: Value, as id: AssignmentID, insteadOf old: Value?, _ stamp: PublicationStamp, _ wakes: inout Wakes
    ) {
        if let place = assigned.firstIndex(where: { $0.id == id }) {
            assigned[place].value = new
        } else {
            assigned.append((id, new))
        }
        version += 1
        if let old { show(new, insteadOf: old, stamp, &wakes) }
    }

    /// Makes `new` what readers see and tells the streams. Called with the publication lock held; the caller keeps `old`
    /// alive past it, so that no `deinit` of the user's runs inside.
    private func show(_ new: Value, insteadOf old: Value, _ stamp: PublicationStamp, _ wakes: inout Wakes) {
        let storeWords = storeWords
        value.withLock {
            $0 = new
            // In the same hold, so that of two reads by the two ways the later one never sees the older value.
            storeWords?(new)
        }
        guard !receivers.isEmpty else { return }
        let change = SettingChange(
            old: old, new: new, cause: stamp.cause, revision: stamp.revision, isSecret: key.isSecret)
        receivers.forEach { $0.offer(change, &wakes) }
    }

    override func isAssigned(besides settled: Set<AssignmentID>) -> Bool {
        assigned.contains { !settled.contains($0.id) }
    }

    override func finish(_ wakes: inout Wakes) {
        receivers.forEach { $0.finish(&wakes) }
        receivers = SlotMap()
    }

    override var receiverCount: Int { receivers.count }
}
