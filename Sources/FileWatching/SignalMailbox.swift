import Locking

/// Holds at most one signal for one consumer.
///
/// A stream over it cannot pile up, and gives nothing after ``finish()``, not even a signal that was waiting.
final class SignalMailbox: Sendable {
    private struct State: Sendable {
        var isPending = false
        var isFinished = false
        var waiter: CheckedContinuation<Bool, Never>?
    }

    private let state = Lock(State())

    /// The signals; for one consumer.
    var signals: AsyncStream<Void> {
        AsyncStream { [self] in
            await next() ? () : nil
        } onCancel: {
        }
    }

    /// Whether a signal waits to be taken.
    var isPending: Bool { state.withLock { $0.isPending } }

    /// Posts a signal unless one is waiting. Resumes the consumer, so never call it inside a lock.
    func post() {
        let waiter = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard !state.isFinished else { return nil }
            guard let waiter = state.waiter else {
                state.isPending = true
                return nil
            }
            state.waiter = nil
            return waiter
        }
        waiter?.resume(returning: true)
    }

    /// Ends the stream.
    func finish() {
        let waiter = state.withLock { state in
            state.isFinished = true
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: false)
    }

    private func next() async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Bool? in
                    if state.isFinished || Task.isCancelled { return false }
                    if state.isPending {
                        state.isPending = false
                        return true
                    }
                    // A second consumer is ended rather than let the first hang.
                    if state.waiter != nil { return false }
                    state.waiter = continuation
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume(returning: false)
        }
    }
}
