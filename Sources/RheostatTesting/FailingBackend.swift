import Locking
public import Rheostat

/// A backend around another one, that fails when it is told to.
///
/// ```swift
/// let backend = FailingBackend(MemoryBackend())
/// let settings = try await SettingsStore.open(.backend(backend), keys: [.port])
/// backend.failCommits(.notWritten(SettingsError(.noSpace, "the disk is full")), after: 2)   // the third commit
/// backend.answerLoads(with: .unusable(SettingsProblem(kind: .unreadable, message: "permission denied")))
/// …
/// backend.mend()
/// ```
///
/// Faults that are planned one after the other are met one after the other. A disk that hangs is a closed gate of a
/// ``GatedBackend``; the two can be put around each other.
///
/// Thread safety: everything may be called from any thread.
public final class FailingBackend<Base: SettingsBackend>: SettingsBackend {
    private struct Listener: Sendable {
        let continuation: AsyncStream<Void>.Continuation
        let forwarding: Task<Void, Never>
    }

    private struct State: Sendable {
        var commits = FaultSchedule<CommitFault>()
        var loads = FaultSchedule<SettingsBackendReading>()
        var problems: [SettingsProblem] = []
        var listeners: [Listener] = []
        var isClosed = false
    }

    /// The backend that does the work when nothing fails.
    public let base: Base
    private let state = Lock(State())

    /// Makes a backend that works as `base` does until it is told to fail.
    public init(_ base: Base) { self.base = base }

    deinit {
        for listener in state.withLock({ $0.listeners }) { listener.forwarding.cancel() }
    }

    // MARK: For the test

    /// Lets `passing` commits go well, and the next `count` meet `fault`.
    public func failCommits(_ fault: CommitFault, after passing: Int = 0, count: Int = 1) {
        state.withLock { $0.commits.plan(fault, after: passing, repeats: count) }
    }

    /// Lets all commits fail from now on, until ``mend()``.
    public func failAllCommits(_ fault: CommitFault) { failCommits(fault, count: .max) }

    /// Lets `passing` loads go well, and answers the next ones with `reading`.
    ///
    /// A signal says at once that there is something to load, and another one when the last of these answers was given.
    ///
    /// - Parameters:
    ///   - reading: the answer, such as `.unusable`, `.unsettled` or `.missing`.
    ///   - passing: how many loads go well before.
    ///   - count: how many are answered so; `nil` for all until ``mend()``.
    public func answerLoads(with reading: SettingsBackendReading, after passing: Int = 0, count: Int? = nil) {
        state.withLock { $0.loads.plan(reading, after: passing, repeats: count ?? .max) }
        signal()
    }

    /// Puts `problem` among the problems with the backend itself, until ``mend()``. A signal follows.
    public func raise(_ problem: SettingsProblem) {
        state.withLock { $0.problems.append(problem) }
        signal()
    }

    /// Lets everything go well again, and says that there is something to load.
    public func mend() {
        state.withLock { state in
            state.commits = FaultSchedule()
            state.loads = FaultSchedule()
            state.problems = []
        }
        signal()
    }

    /// Says "look again".
    public func signal() {
        for listener in state.withLock({ $0.listeners }) { listener.continuation.yield() }
    }

    /// Whether faults are planned that have not been met.
    public var hasFaults: Bool { state.withLock { !$0.commits.isEmpty || !$0.loads.isEmpty } }

    // MARK: SettingsBackend

    /// The place of the base.
    public var location: String? { base.location }

    /// The signals of the base, and those of the faults.
    public var signals: AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let signals = base.signals
        let forwarding = Task {
            for await _ in signals { continuation.yield() }
            continuation.finish()
        }
        let isClosed = state.withLock { state in
            state.listeners.append(Listener(continuation: continuation, forwarding: forwarding))
            return state.isClosed
        }
        if isClosed { continuation.finish() }
        return stream
    }

    /// The problems of the base, and those that were raised.
    public var standingProblems: [SettingsProblem] { base.standingProblems + state.withLock { $0.problems } }

    /// Loads from the base, or gives the answer that was planned.
    public nonisolated(nonsending) func load(isFirst: Bool) async -> SettingsBackendReading {
        let (planned, isLast) = state.withLock { state in
            let planned = state.loads.next()
            return (planned, planned != nil && state.loads.isEmpty)
        }
        if isLast { signal() }
        if let planned { return planned }
        return await base.load(isFirst: isFirst)
    }

    /// Commits to the base, or meets the fault that was planned.
    public nonisolated(nonsending) func commit(
        _ transform: (SettingsBackendReading) throws -> [UInt8]?
    ) async throws -> SettingsBackendCommit {
        switch state.withLock({ $0.commits.next() })?.kind {
        case nil: return try await base.commit(transform)
        case .refused(let error): throw error
        case .notWritten(let error):
            return try await base.commit { reading in
                guard try transform(reading) != nil else { return nil }
                throw error
            }
        case .durabilityUnknown(let error):
            let done = try await base.commit(transform)
            return SettingsBackendCommit(text: done.text, durabilityUnknown: done.text == nil ? nil : error)
        case .answerLost(let error):
            let done = try await base.commit(transform)
            if done.text == nil { return done }
            throw error
        case .rivals(let texts): return try await commit(transform, against: texts)
        case .reads(let reading): return try await base.commit { _ in try transform(reading) }
        }
    }

    private nonisolated(nonsending) func commit(
        _ transform: (SettingsBackendReading) throws -> [UInt8]?, against rivals: [String]
    ) async throws -> SettingsBackendCommit {
        var hasRivalWon = false
        var refusal: (any Error)?
        let done = try await base.commit { reading in
            hasRivalWon = false
            refusal = nil
            guard var new = try transform(reading) else { return nil }
            for rival in rivals {
                new = Array(rival.utf8)
                do {
                    let merged = try transform(new.isEmpty ? .empty : .text(new))
                    hasRivalWon = merged == nil
                    new = merged ?? new
                } catch {
                    hasRivalWon = true
                    refusal = error
                    break
                }
            }
            return new
        }
        if let refusal { throw refusal }
        return hasRivalWon ? SettingsBackendCommit(text: nil) : done
    }

    /// Ends the signals and closes the base.
    public func close() {
        let listeners = state.withLock { state in
            state.isClosed = true
            defer { state.listeners = [] }
            return state.listeners
        }
        for listener in listeners {
            listener.continuation.finish()
            listener.forwarding.cancel()
        }
        base.close()
    }
}
