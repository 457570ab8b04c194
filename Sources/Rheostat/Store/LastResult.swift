import Locking

/// What the last run of a transaction returned.
final class LastResult<Value: Sendable>: Sendable {
    private let stored = Lock<Value?>(nil)

    var value: Value? { stored.withLock { $0 } }

    func set(_ value: Value) { stored.withLock { $0 = value } }
}
