import Locking
import LosslessJSON

/// The changes of one ``SettingsStore/update(_:)``, which are made all or not at all.
///
/// Keys read as they are in the writable file with the changes made so far, so that what a higher layer says is never
/// written into the file.
public struct SettingsTransaction {
    private let publication: Publication
    private let location: String?

    /// The text with all changes up to the last one that needed to be worked in.
    private var document: JSONDocument
    /// The changes since, by path, and their order.
    private var pending: [SettingPath: Pending] = [:]
    private var order: [SettingPath] = []
    /// Every path that was written.
    private(set) var touched: [SettingPath] = []
    /// Whether a value was set, perhaps to what it was: then it must be in the file afterwards.
    private(set) var hasSet = false
    /// The first thing that went wrong in a setter, which cannot throw.
    private var failure: SettingsError?

    private enum Pending {
        case set(JSONDocument)
        case remove
    }

    init(document: JSONDocument, publication: Publication, location: String?) {
        self.document = document
        self.publication = publication
        self.location = location
    }

    // MARK: Typed keys

    /// The value of `key`, with the changes made so far; its default where the file holds none or an invalid one.
    ///
    /// Each reading looks the value up and decodes it. Reading at, above or below a place that was set before works the
    /// changes into the text first, which costs a scan of it.
    ///
    /// Setting a value that the key refuses changes nothing and makes the whole transaction throw
    /// ``SettingsError/invalidValue`` at its end.
    public subscript<Value: SettingValue>(key: SettingKey<Value>) -> Value {
        mutating get {
            guard let cell = publication.cell(for: key) else { return key.defaultValue }
            switch cell.read(from: Snapshot(document: current(for: cell.path), location: location)) {
            case .value(let value): return value
            case .invalid: return key.defaultValue
            }
        }
        set {
            do throws(SettingsError) { try set(key, to: newValue) } catch { failure = failure ?? error }
        }
    }

    /// Sets `key`, or throws why it cannot be. A throw changes nothing; the transaction may go on.
    ///
    /// - Throws: ``SettingsError``: `invalidValue` when the key does not take the value, or when the file's own value
    ///   must be mended first; `invalidKeys` when the key cannot be used with this store. That the path leads through
    ///   another value (`notAnObject`) may show at the end of the transaction only.
    public mutating func set<Value: SettingValue>(_ key: SettingKey<Value>, to value: Value) throws(SettingsError) {
        guard let cell = publication.cell(for: key) else { throw unusable(key) }
        let encoded = try EncodedValue(value, for: key, in: cell)
        hasSet = true
        try settle(for: cell.path)
        if let match = document.find(cell.path.json) {
            // The file's own member, not the effective value: what a layer above says does not make a write needless.
            switch cell.read(from: Snapshot(document: document, location: location)) {
            case .invalid(let problem):
                throw SettingsError(mendFirst: problem)
            case .value(let old):
                if old.isSame(as: encoded.value), match.spellings.count == 1 {
                    return withdraw(cell.path)
                }
            }
        }
        put(.set(encoded.text), at: cell.path)
    }

    /// Sets the text of a value that was assigned, and checked then.
    mutating func set(_ assignment: PendingAssignment) throws(SettingsError) {
        let cell = assignment.cell
        guard let value = assignment.text.root else { return }
        hasSet = true
        try settle(for: cell.path)
        if let match = document.find(cell.path.json) {
            if let problem = cell.problem(in: Snapshot(document: document, location: location)) {
                throw SettingsError(mendFirst: problem)
            }
            if match.spellings.count == 1, match.value.isEquivalent(to: value) { return withdraw(cell.path) }
        }
        put(.set(assignment.text), at: cell.path)
    }

    /// Removes what is set for `key`, so that its default counts again. Nothing happens when nothing is set.
    ///
    /// - Throws: ``SettingsError/invalidKeys`` when the key cannot be used with this store.
    public mutating func reset<Value: SettingValue>(_ key: SettingKey<Value>) throws(SettingsError) {
        guard let cell = publication.cell(for: key) else { throw unusable(key) }
        try remove(cell.path)
    }

    // MARK: Raw values

    /// The JSON value at `path` with the changes made so far; `nil` when nothing is set there.
    ///
    /// - Throws: ``SettingsError/invalidKeys`` when `path` is no path.
    public mutating func raw(_ path: String) throws(SettingsError) -> RawJSON? {
        let path = try SettingPath(checking: path)
        return current(for: path).find(path.json).map { RawJSON($0.value) }
    }

    /// Sets the JSON value at `path`. An equal value is left as it is spelled.
    ///
    /// A value that a declared key at `path` refuses makes the whole transaction throw ``SettingsError/invalidValue``
    /// at its end, and a path that leads through another value ``SettingsError/notAnObject``.
    ///
    /// - Throws: ``SettingsError/invalidKeys`` when `path` is no path.
    public mutating func setRaw(_ path: String, to value: RawJSON) throws(SettingsError) {
        let path = try SettingPath(checking: path)
        hasSet = true
        try settle(for: path)
        if let match = document.find(path.json), match.spellings.count == 1,
            match.value.isEquivalent(to: value.node)
        {
            return withdraw(path)
        }
        do {
            put(.set(try JSONDocument(try value.jsonText(), options: .strict)), at: path)
        } catch {
            throw SettingsError(.invalidValue, "\(path): \(error)", key: path.description)
        }
    }

    /// Removes the value at `path` in every spelling. Nothing happens when nothing is set there.
    ///
    /// - Throws: ``SettingsError/invalidKeys`` when `path` is no path.
    public mutating func removeRaw(_ path: String) throws(SettingsError) {
        try remove(try SettingPath(checking: path))
    }

    // MARK: Working in

    /// The text with all changes worked in. Throws what a setter could not.
    mutating func finish() throws(SettingsError) -> JSONDocument {
        if let failure { throw failure }
        try workIn()
        return document
    }

    private mutating func put(_ change: Pending, at path: SettingPath) {
        if pending.updateValue(change, forKey: path) == nil { order.append(path) }
        touched.append(path)
    }

    private mutating func withdraw(_ path: SettingPath) {
        if pending.removeValue(forKey: path) != nil { order.removeAll { $0 == path } }
    }

    private mutating func remove(_ path: SettingPath) throws(SettingsError) {
        try settle(for: path)
        if document.find(path.json) == nil { withdraw(path) } else { put(.remove, at: path) }
    }

    /// Works in what is pending above, below or in another spelling of `path`.
    private mutating func settle(for path: SettingPath) throws(SettingsError) {
        if overlaps(path) { try workIn() }
    }

    /// The text in which the value at `path` can be looked up: pending changes at, above or below it are worked in.
    private mutating func current(for path: SettingPath) -> JSONDocument {
        if pending[path] != nil || overlaps(path) {
            do throws(SettingsError) { try workIn() } catch { failure = failure ?? error }
        }
        return document
    }

    /// Whether a pending change above or below `path`, or in another spelling of it, decides what stands there.
    private func overlaps(_ path: SettingPath) -> Bool {
        guard !pending.isEmpty else { return false }
        let parts = path.parts
        return pending.keys.contains { other in
            guard other != path else { return false }
            let others = other.parts
            return others.starts(with: parts) || parts.starts(with: others)
        }
    }

    private mutating func workIn() throws(SettingsError) {
        let edits = order.compactMap { path -> JSONEdit? in
            switch pending[path] {
            case .set(let value): .set(path.json, text: value.bytes)
            case .remove: .remove(path.json)
            case nil: nil
            }
        }
        pending = [:]
        order = []
        guard !edits.isEmpty else { return }
        do throws(JSONEditError) { document = try document.edited(edits) } catch {
            throw SettingsError(error, file: location)
        }
    }

    // MARK: Checking

    private func unusable(_ key: SettingKeys) -> SettingsError {
        let problem = publication.state.withLock { $0.problems.standing[.key(key.name)] }
        return SettingsError(.invalidKeys, problem?.message ?? "key \"\(key.name)\" cannot be used", key: key.name)
    }
}

extension SettingsError {
    /// The error of a write over a stored value that is not valid: it might destroy what somebody meant.
    fileprivate init(mendFirst problem: SettingsProblem) {
        self.init(
            .invalidValue, "\(problem.message); mend or reset it first", key: problem.key, file: problem.file,
            line: problem.line, column: problem.column)
    }

    /// The error of an edit that the text does not allow.
    init(_ error: JSONEditError, file: String?) {
        switch error {
        case .notAContainer(let path, let found, let place):
            self.init(
                .notAnObject, "cannot set \(path): it leads through \(found)", key: path.description, file: file,
                line: place.line, column: place.column)
        case .unreadableResult(let error) where error.code == .tooLarge:
            self.init(.tooLarge, "\(error)", file: file)
        default:
            self.init(.invalidValue, "\(error)", file: file)
        }
    }
}
