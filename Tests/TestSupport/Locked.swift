import Locking

/// A lock that several tasks of a test can hold on to.
package final class Locked<Value: Sendable>: Sendable {
    private let lock: Lock<Value>

    package init(_ value: Value) { lock = Lock(value) }

    package func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        lock.withLock { body(&$0) }
    }

    package var value: Value { withLock { $0 } }
}
