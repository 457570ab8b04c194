import Rheostat

/// A memory backend whose commits can be stalled and made to fail.
actor StallingBackend: SettingsBackend {
    private let memory = MemoryBackend()
    private var isStalled = false
    private var failure: SettingsError?
    private var nextFailure: SettingsError?
    private var stalled: [CheckedContinuation<Void, Never>] = []
    private var watchers: [CheckedContinuation<Void, Never>] = []
    private(set) var commits = 0

    nonisolated var location: String? { nil }
    nonisolated var signals: AsyncStream<Void> { memory.signals }
    nonisolated var standingProblems: [SettingsProblem] { [] }

    func stall() { isStalled = true }

    func fail(with failure: SettingsError?) { self.failure = failure }

    /// Only the commit that comes next, or is stalled now, fails.
    func failNext(with failure: SettingsError) { nextFailure = failure }

    nonisolated func replace(with text: String?) { memory.replace(with: text) }

    func go() {
        isStalled = false
        stalled.forEach { $0.resume() }
        stalled = []
    }

    func waitUntilStalled() async {
        if stalled.isEmpty { await withCheckedContinuation { watchers.append($0) } }
    }

    private func pass() async throws {
        commits += 1
        if isStalled {
            await withCheckedContinuation { waiter in
                stalled.append(waiter)
                watchers.forEach { $0.resume() }
                watchers = []
            }
        }
        if let nextFailure {
            self.nextFailure = nil
            throw nextFailure
        }
        if let failure { throw failure }
    }

    nonisolated(nonsending) func load(isFirst: Bool) async -> SettingsBackendReading {
        await memory.load(isFirst: isFirst)
    }

    nonisolated(nonsending) func commit(
        _ transform: (SettingsBackendReading) throws -> [UInt8]?
    ) async throws -> SettingsBackendCommit {
        try await pass()
        return try await memory.commit(transform)
    }

    nonisolated func close() { memory.close() }
}
