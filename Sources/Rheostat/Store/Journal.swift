/// What waits to be served on a store's I/O lane, first come first served. Guarded by the publication lock.
struct Journal: Sendable {
    /// One thing to do.
    enum Item: Sendable {
        /// A transaction.
        case transaction(PendingTransaction)
        /// A look at the backend because it said that something may have changed.
        case signal
        /// A look at the backend that somebody waits for.
        case reload(CheckedContinuation<Void, any Error>)
        /// Nothing but to be reached.
        case flush(CheckedContinuation<Void, any Error>)
        /// The end.
        case close(CheckedContinuation<Void, any Error>)
    }

    private var items: [Item] = []
    /// Whether somebody serves, and will look again before it stops.
    private(set) var isServed = false

    /// How many items wait; for tests.
    var count: Int { items.count }

    /// Adds an item; `true` when the caller must see to it that the lane is served.
    mutating func append(_ item: Item) -> Bool {
        if case .signal = item, items.contains(where: { if case .signal = $0 { true } else { false } }) { return false }
        items.append(item)
        defer { isServed = true }
        return !isServed
    }

    /// Takes what can be served in one go: the transactions that stand first, or one other item. `nil`, and no longer
    /// served, when there is nothing.
    mutating func take() -> Batch? {
        var transactions: [PendingTransaction] = []
        var taken = 0
        for item in items {
            guard case .transaction(let transaction) = item else { break }
            taken += 1
            if transaction.state == .waiting {
                transaction.state = .taken
                transactions.append(transaction)
            }
        }
        if taken > 0 {
            items.removeFirst(taken)
            return .transactions(transactions)
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

    enum Batch {
        case transactions([PendingTransaction])
        case other(Item)
    }
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
