import Dispatch

/// Runs `body`, which may block, on a thread of its own: the threads on which tasks run are few, and not to be blocked.
func offThePool<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue(label: "blocking").async { continuation.resume(with: Swift.Result { try body() }) }
    }
}
