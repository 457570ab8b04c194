public import Rheostat

/// A backend around another one, with a ``Gate`` at each step of commit and load.
///
/// ```swift
/// let backend = GatedBackend(MemoryBackend())
/// let settings = try await SettingsStore.open(.backend(backend), keys: [.port])
/// try await backend.gate(at: .afterReplacement).whileClosed {
///     let write = Task { try await settings.set(.port, to: 9090) }
///     try await backend.gate(at: .afterReplacement).waitUntilReached()
///     // The new text stands, and nobody has been told: settings[.port] is still the old value.
/// }
/// ```
///
/// A closed gate holds the store's I/O lane: a disk that is stalled. The gates inside a commit block the thread (the
/// transform is synchronous), so a commit that is made without a store and shall be held needs a thread of its own.
///
/// Thread safety: gates and counts may be used from any thread.
public final class GatedBackend<Base: SettingsBackend>: SettingsBackend {
    /// The backend that does the work.
    public let base: Base

    private let beforeLock = Gate("before the lock")
    private let afterRead = Gate("after the read")
    private let beforeReplacement = Gate("before the replacement")
    private let afterReplacement = Gate("after the replacement")
    private let beforeLoad = Gate("before the load")
    private let afterLoad = Gate("after the load")

    /// Puts open gates around `base`.
    public init(_ base: Base) { self.base = base }

    /// The gate at `step`.
    public func gate(at step: BackendStep) -> Gate {
        switch step {
        case .beforeLock: beforeLock
        case .afterRead: afterRead
        case .beforeReplacement: beforeReplacement
        case .afterReplacement: afterReplacement
        case .beforeLoad: beforeLoad
        case .afterLoad: afterLoad
        }
    }

    /// Opens all gates, for the end of a test.
    public func openAll() {
        for step in BackendStep.allCases { gate(at: step).open() }
    }

    /// How many commits were begun.
    public var commits: Int { beforeLock.arrivals }

    /// How many times a commit ran the store's code; more than ``commits`` when others came in between.
    public var transforms: Int { afterRead.passes }

    /// How many commits wrote something.
    public var replacements: Int { afterReplacement.arrivals }

    /// How many loads were begun.
    public var loads: Int { beforeLoad.arrivals }

    // MARK: SettingsBackend

    /// The place of the base.
    public var location: String? { base.location }

    /// The signals of the base.
    public var signals: AsyncStream<Void> { base.signals }

    /// The problems of the base.
    public var standingProblems: [SettingsProblem] { base.standingProblems }

    /// Loads from the base, between the gates `beforeLoad` and `afterLoad`.
    public nonisolated(nonsending) func load(isFirst: Bool) async -> SettingsBackendReading {
        await beforeLoad.pass()
        let reading = await base.load(isFirst: isFirst)
        await afterLoad.pass()
        return reading
    }

    /// Commits to the base, through the gates of ``BackendStep/ofCommit``.
    public nonisolated(nonsending) func commit(
        _ transform: (SettingsBackendReading) throws -> [UInt8]?
    ) async throws -> SettingsBackendCommit {
        await beforeLock.pass()
        let done = try await base.commit { reading in
            afterRead.passBlocking()
            guard let new = try transform(reading) else { return nil }
            beforeReplacement.passBlocking()
            return new
        }
        if done.text != nil { await afterReplacement.pass() }
        return done
    }

    /// Closes the base. Gates that are closed stay so.
    public func close() { base.close() }
}
