import Rheostat

/// What a store must do, in the plainest way: dictionaries of JSON texts.
struct ReferenceModel {
    enum Disk: Equatable {
        case missing
        case good([String: String])
        case bad
    }

    struct Event {
        let name: String
        let old: String
        let new: String
        let cause: String
    }

    /// What waits in the journal.
    enum Write {
        case assignments([(name: String, text: String)])
        case transaction([(name: String, text: String?)])
    }

    private(set) var disk = Disk.missing
    private(set) var committed: [String: String] = [:]
    private(set) var journal: [Write] = []
    /// Writes that have been taken: what comes later is not joined with them.
    private var taken = 0
    private let defaults: [String: String]

    init(keys: [ModelKey]) { defaults = Dictionary(uniqueKeysWithValues: keys.map { ($0.name, $0.defaultText) }) }

    /// What readers see: the last assignment that waits, or what is committed, or the default.
    func effective(_ name: String) -> String {
        for case .assignments(let assignments) in journal.reversed() {
            if let text = assignments.last(where: { $0.name == name })?.text { return text }
        }
        return committed[name] ?? defaults[name] ?? "?"
    }

    /// Runs `change` and returns the differences of the effective values.
    private mutating func events(cause: String, _ change: (inout ReferenceModel) -> Void) -> [Event] {
        let before = defaults.keys.map { ($0, effective($0)) }
        change(&self)
        return before.compactMap { name, old in
            let new = effective(name)
            return old == new ? nil : Event(name: name, old: old, new: new, cause: cause)
        }
    }

    /// Somebody else writes the file, and the store looks.
    mutating func edit(_ new: Disk) -> [Event] {
        disk = new
        guard case .good(let values) = new else { return [] }
        return events(cause: "external") { $0.committed = values }
    }

    mutating func assign(_ name: String, _ text: String) -> [Event] {
        events(cause: "local") { model in
            if model.journal.count > model.taken, case .assignments(var run)? = model.journal.last {
                run.removeAll { $0.name == name }
                run.append((name, text))
                model.journal[model.journal.count - 1] = .assignments(run)
            } else {
                model.journal.append(.assignments([(name, text)]))
            }
        }
    }

    mutating func transact(_ changes: [(name: String, text: String?)]) { journal.append(.transaction(changes)) }

    /// The store has begun with all that waits.
    mutating func take() { taken = journal.count }

    /// The journal is served. `true` for a write that worked.
    mutating func serve(failing: Bool) -> (events: [Event], worked: [Bool]) {
        var all: [Event] = []
        var worked: [Bool] = []
        var hasChanged = false
        let cannotWrite = failing || disk == .bad
        while let write = journal.first {
            switch write {
            case .assignments(let assignments):
                hasChanged = true
                all += events(cause: cannotWrite ? "rollback" : "local") { model in
                    model.journal.removeFirst()
                    if !cannotWrite { for (name, text) in assignments { model.committed[name] = text } }
                }
            case .transaction(let changes):
                if changes.contains(where: { $0.text != nil || committed[$0.name] != nil }) { hasChanged = true }
                all += events(cause: "local") { model in
                    model.journal.removeFirst()
                    if !cannotWrite { for (name, text) in changes { model.committed[name] = text } }
                }
            }
            worked.append(!cannotWrite)
        }
        taken = 0
        if !cannotWrite, hasChanged { disk = .good(committed) }
        return (all, worked)
    }
}
