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
    func prepare(in snapshot: Snapshot) -> PreparedCell {
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

/// What a snapshot means for one cell.
struct PreparedCell: Sendable {
    let cell: AnySettingCell
    /// Why the stored value cannot be used; the cell keeps its value then.
    var problem: SettingsProblem?
    /// Puts the new value in and tells the streams; `nil` when the effective value stays the same. Called with the
    /// publication lock held; runs no code of the user.
    var apply: (@Sendable (_ stamp: PublicationStamp, _ wakes: inout Wakes) -> Void)?
}

/// The cell of a key with values of one type.
@usableFromInline
final class SettingCell<Value: SettingValue>: AnySettingCell, @unchecked Sendable {
    // Sound: see the fields.

    let key: SettingKey<Value>

    /// The effective value. Readers lock this alone; it changes only while the publication lock is held too.
    @usableFromInline let value: Lock<Value>

    /// Who follows. Guarded by the publication lock.
    var receivers = SlotMap<any ChangeReceiver<Value>>()

    /// Copies a value to where it is read without a lock, if its bytes are all there is to it. Guarded by the publication
    /// lock.
    var storeWords: ((Value) -> Void)?

    /// A cell that has the key's default until it is filled.
    init(key: SettingKey<Value>, path: SettingPath, isDeclared: Bool) {
        self.key = key
        value = Lock(key.defaultValue)
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
                throw reader.refusal(error.expected)
            }
        } catch let caught as SettingValueError {
            error = caught
        } catch let other {
            error = reader.refusal("a value that \(Value.self) can read: \(other)")
        }
        return .invalid(
            SettingsProblem(
                kind: .invalid, message: "\(path): " + error.message(quoting: !key.isSecret), key: key.name,
                file: snapshot.location, line: error.line, column: error.column))
    }

    override func prepare(in snapshot: Snapshot) -> PreparedCell {
        let new: Value
        switch read(from: snapshot) {
        case .invalid(let problem): return PreparedCell(cell: self, problem: problem)
        case .value(let value): new = value
        }
        let old = load()
        if new.isSame(as: old) { return PreparedCell(cell: self) }
        return PreparedCell(cell: self) { [self] stamp, wakes in
            replace(old, by: new)
            guard !receivers.isEmpty else { return }
            let change = SettingChange(old: old, new: new, cause: stamp.cause, revision: stamp.revision)
            receivers.forEach { $0.offer(change, &wakes) }
        }
    }

    /// Makes `new` what readers see. Called with the publication lock held; the caller keeps `old` alive past it, so
    /// that no `deinit` of the user's runs inside.
    func replace(_ old: Value, by new: Value) {
        let storeWords = storeWords
        value.withLock {
            $0 = new
            // In the same hold, so that of two reads by the two ways the later one never sees the older value.
            storeWords?(new)
        }
    }

    override func finish(_ wakes: inout Wakes) {
        receivers.forEach { $0.finish(&wakes) }
        receivers = SlotMap()
    }

    override var receiverCount: Int { receivers.count }
}
