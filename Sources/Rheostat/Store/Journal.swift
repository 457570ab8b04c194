import LosslessJSON

/// The number of an assignment in the journal of its store.
typealias AssignmentID = UInt64

/// What waits to be served on a store's I/O lane, first come first served. Guarded by the publication lock.
struct Journal: Sendable {
    /// One thing to do.
    enum Item: Sendable {
        /// A transaction that somebody waits for.
        case transaction(PendingTransaction)
        /// Assignments that were made between two other items. Those to one key have been joined.
        case assignments([PendingAssignment])
        /// A look at the backend because it said that something may have changed.
        case signal
        /// A look at the backend that somebody waits for.
        case reload(CheckedContinuation<Void, any Error>)
        /// Nothing but to be reached.
        case flush(CheckedContinuation<Void, any Error>)
        /// The end.
        case close(CheckedContinuation<Void, any Error>)

        fileprivate var isSignal: Bool { if case .signal = self { true } else { false } }
    }

    /// What can be served in one go.
    enum Batch {
        /// What goes to the disk together.
        case writes([Write])
        case other(Item)
    }

    /// What becomes one revision.
    enum Write {
        case transaction(PendingTransaction)
        case assignments([PendingAssignment])
    }

    private var items: [Item] = []
    private var lastAssignment: AssignmentID = 0
    /// Whether somebody serves, and will look again before it stops.
    private var isServed = false
    /// Whether somebody will begin to serve shortly, for assignments that nobody waits for.
    private var isScheduled = false

    /// How many items wait that a caller put in; for tests.
    var count: Int { items.count { !$0.isSignal } }

    /// Adds an item; `true` when the caller must see to it that the lane is served.
    mutating func append(_ item: Item) -> Bool {
        if item.isSignal, items.contains(where: \.isSignal) { return false }
        items.append(item)
        return mustServe()
    }

    /// Adds an assignment, or puts it in the place of one to the same key that nothing else came after.
    ///
    /// Nobody waits for it, so that it need not be served at once: `mustSchedule` says that the caller must see to it that
    /// ``beginScheduled()`` is called shortly. A burst of assignments wakes the lane once, and is one write.
    mutating func assign(_ text: JSONDocument, to cell: AnySettingCell) -> (id: AssignmentID, mustSchedule: Bool) {
        // A look at the file in between changes nothing about the order of the writes.
        let place = items.lastIndex { !$0.isSignal }
        if let place, case .assignments(var assignments) = items[place] {
            items[place] = .signal  // Releases the array, so that it is changed in its place.
            let index = assignments.firstIndex { $0.cell === cell }
            if let index {
                assignments[index].text = text
            } else {
                lastAssignment += 1
                assignments.append(PendingAssignment(id: lastAssignment, cell: cell, text: text))
            }
            let id = assignments[index ?? assignments.count - 1].id
            items[place] = .assignments(assignments)
            return (id, mustSchedule())
        }
        lastAssignment += 1
        items.append(.assignments([PendingAssignment(id: lastAssignment, cell: cell, text: text)]))
        return (lastAssignment, mustSchedule())
    }

    private mutating func mustSchedule() -> Bool {
        guard !isServed, !isScheduled else { return false }
        isScheduled = true
        return true
    }

    /// Begins what was scheduled; `true` when the caller must serve now.
    mutating func beginScheduled() -> Bool {
        isScheduled = false
        return !items.isEmpty && mustServe()
    }

    private mutating func mustServe() -> Bool {
        defer { isServed = true }
        return !isServed
    }

    /// Takes what can be served in one go: the writes that stand first, or one other item. `nil`, and no longer served,
    /// when there is nothing.
    mutating func take() -> Batch? {
        var writes: [Write] = []
        var taken = 0
        loop: for item in items {
            switch item {
            case .transaction(let transaction):
                transaction.state = .taken
                writes.append(.transaction(transaction))
            case .assignments(let assignments): writes.append(.assignments(assignments))
            default: break loop
            }
            taken += 1
        }
        if taken > 0 {
            items.removeFirst(taken)
            return .writes(writes)
        }
        guard !items.isEmpty else {
            isServed = false
            return nil
        }
        return .other(items.removeFirst())
    }

    /// Takes a transaction out that nobody waits for any more.
    mutating func remove(_ transaction: PendingTransaction) {
        items.removeAll { if case .transaction(let other) = $0 { other === transaction } else { false } }
    }
}

/// An assignment on its way to the disk.
struct PendingAssignment: Sendable {
    let id: AssignmentID
    let cell: AnySettingCell
    /// The value as it will be written.
    var text: JSONDocument
}

/// A transaction on its way to the disk.
final class PendingTransaction: @unchecked Sendable {
    // Sound: `state` and `waiter` are guarded by the publication lock; `body` is immutable.

    enum State {
        case waiting
        case taken
        case withdrawn
    }

    /// Makes the changes. Runs on the lane, perhaps more than once; the last run counts.
    let body: @Sendable (inout SettingsTransaction) throws -> Void
    var state = State.waiting
    var waiter: CheckedContinuation<Void, any Error>?

    init(_ body: @escaping @Sendable (inout SettingsTransaction) throws -> Void) { self.body = body }
}
