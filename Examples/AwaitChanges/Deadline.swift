/// The example took too long: an event that it waits for did not come.
struct DeadlineExceeded: Error {}

/// Runs `body` for at most `duration`.
func withDeadline(_ duration: Duration, _ body: @escaping @Sendable () async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: duration)
            throw DeadlineExceeded()
        }
        defer { group.cancelAll() }
        try await group.next()
    }
}
