import Locking

/// What a test waited for did not come in time.
public struct WaitTimeout: Error, Sendable, CustomStringConvertible {
    /// What was waited for, and how things stood when the time was over.
    public let description: String
    /// How long it was waited for.
    public let limit: Duration
}

/// A state that changes in steps and can be waited on. Nothing is polled: each step looks whose condition holds.
///
/// Thread safety: everything may be called from any thread. Conditions run inside the lock, so they are ours and look at
/// the state alone.
final class Watched<State: Sendable>: Sendable {
    /// Where a call of `wait` is. One that ended is not listed.
    private enum Wait: Sendable {
        /// It has a number, but has not looked yet.
        case announced
        /// It looked, and waits.
        case waiting(@Sendable (State) -> Bool, CheckedContinuation<Void, any Error>)
        /// Its time was over, or its task cancelled, before it looked.
        case ended(any Error)
    }

    private struct Content: Sendable {
        var state: State
        var waits: [Int: Wait] = [:]
        var lastNumber = 0
    }

    private let content: Lock<Content>

    init(_ state: State) { content = Lock(Content(state: state)) }

    /// The state now.
    var value: State { content.withLock { $0.state } }

    /// Changes the state, then resumes those whose condition holds, in the order in which they came.
    @discardableResult
    func update<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, ready) = content.withLock { content in
            let result = body(&content.state)
            var ready: [(number: Int, waiter: CheckedContinuation<Void, any Error>)] = []
            for (number, wait) in content.waits {
                if case .waiting(let condition, let waiter) = wait, condition(content.state) {
                    ready.append((number, waiter))
                }
            }
            for (number, _) in ready { content.waits[number] = nil }
            return (result, ready)
        }
        for (_, waiter) in ready.sorted(by: { $0.number < $1.number }) { waiter.resume() }
        return result
    }

    /// Waits until the state fulfils `condition`.
    ///
    /// - Throws: ``WaitTimeout`` with what `complaint` says of the state, when it does not within `limit`;
    ///   `CancellationError` when the task is cancelled.
    func wait(
        within limit: Duration, until condition: @escaping @Sendable (State) -> Bool,
        complaint: @escaping @Sendable (State) -> String
    ) async throws {
        let number = content.withLock { content in
            content.lastNumber += 1
            content.waits[content.lastNumber] = .announced
            return content.lastNumber
        }
        let timer = Task {
            try await Task.sleep(for: limit)
            self.end(number) { WaitTimeout(description: "\(complaint($0)) within \(limit)", limit: limit) }
        }
        defer { timer.cancel() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (waiter: CheckedContinuation<Void, any Error>) in
                let now: Result<Void, any Error>? = content.withLock { content in
                    if condition(content.state) {
                        content.waits[number] = nil
                        return .success(())
                    }
                    if case .ended(let error) = content.waits[number] {
                        content.waits[number] = nil
                        return .failure(error)
                    }
                    content.waits[number] = .waiting(condition, waiter)
                    return nil
                }
                if let now { waiter.resume(with: now) }
            }
        } onCancel: {
            end(number) { _ in CancellationError() }
        }
    }

    private func end(_ number: Int, _ makeError: (State) -> any Error) {
        let state = content.withLock { content in content.waits[number] == nil ? nil : content.state }
        guard let state else { return }
        let error = makeError(state)
        let waiter = content.withLock { content -> CheckedContinuation<Void, any Error>? in
            switch content.waits[number] {
            case nil, .ended: return nil
            case .announced:
                content.waits[number] = .ended(error)
                return nil
            case .waiting(_, let waiter):
                content.waits[number] = nil
                return waiter
            }
        }
        waiter?.resume(throwing: error)
    }
}
