/// What was awaited did not come in time.
package struct DeadlineExceeded: Error, CustomStringConvertible {
    package let duration: Duration
    package var description: String { "nothing came within \(duration)" }
}

/// Runs `body` and gives it `duration` to end; then it is cancelled and ``DeadlineExceeded`` is thrown.
///
/// The default is generous, since a test machine may be busy: a test that passes never waits for it.
package func within<Result: Sendable>(
    _ duration: Duration = .seconds(60), _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Result.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: duration)
            throw DeadlineExceeded(duration: duration)
        }
        defer { group.cancelAll() }
        guard let result = try await group.next() else { throw CancellationError() }
        return result
    }
}

/// Waits until `condition` holds, looking every few milliseconds; throws ``DeadlineExceeded`` after `duration`.
///
/// For states that announce themselves by no event, such as a count of open descriptors.
package func eventually(
    within duration: Duration = .seconds(60), _ condition: () async throws -> Bool
) async throws {
    let clock = ContinuousClock()
    let end = clock.now + duration
    while try await !condition() {
        guard clock.now < end else { throw DeadlineExceeded(duration: duration) }
        try await Task.sleep(for: .milliseconds(2))
    }
}
