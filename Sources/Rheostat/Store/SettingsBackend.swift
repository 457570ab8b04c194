/// Where a store keeps its text.
///
/// A backend holds one text with a revision and can replace it atomically. It knows nothing of keys and values: the store
/// reads the text, and gives a function from the current text to the new one when it writes.
///
/// The store calls ``load(isFirst:)``, ``commit(_:)`` and ``close()`` one at a time, on an executor of its own where a
/// backend may block. A backend may be used by one store only.
public protocol SettingsBackend: Sendable {
    /// Where the text is, for messages and provenance: a path or an address; `nil` if that says nothing.
    var location: String? { get }

    /// Reads the current text.
    ///
    /// - Parameter isFirst: whether nothing was read before, so that there is nothing to go on with meanwhile: the
    ///   backend then waits, within bounds, for a writer who is at work instead of returning `unsettled`.
    nonisolated(nonsending) func load(isFirst: Bool) async -> SettingsBackendReading

    /// Replaces the text by what `transform` makes of the current one.
    ///
    /// The backend takes its lock, or prepares a compare-and-swap, reads the current text, calls `transform`, and makes
    /// the result durable. If the text changed meanwhile, it calls `transform` again with the newer one. When `transform`
    /// returns `nil` nothing is to be written; when it throws, nothing is changed and the error is passed on.
    ///
    /// Throws ``SettingsError`` when nothing was changed. A commit that is visible but perhaps not durable is returned
    /// with that in ``SettingsBackendCommit/durabilityUnknown``.
    nonisolated(nonsending) func commit(
        _ transform: (SettingsBackendReading) throws -> [UInt8]?
    ) async throws -> SettingsBackendCommit

    /// Says "look again" whenever ``load(isFirst:)`` might give something else than before; the newest replaces those
    /// not yet taken. It is asked for once and ends when the backend is closed.
    var signals: AsyncStream<Void> { get }

    /// Problems with the backend itself that stand now, such as a file that can only be polled. Read after each signal
    /// and each commit.
    var standingProblems: [SettingsProblem] { get }

    /// Ends the signals and frees what the backend holds. Nothing is called afterwards.
    func close()
}

/// What a backend found.
public enum SettingsBackendReading: Sendable {
    /// A text.
    case text([UInt8])
    /// There is no text: it was never written, or it is gone.
    case missing
    /// There is a text of length zero.
    case empty
    /// There is something that cannot be read; the problem says what and why.
    case unusable(SettingsProblem)
    /// A writer is at work. A signal follows.
    case unsettled
}

/// What came of a commit.
public struct SettingsBackendCommit: Sendable {
    /// The text that is there now, or `nil` when nothing was to be written.
    public let text: [UInt8]?

    /// Why it is not sure that the text survives a loss of power; `nil` when it does.
    public let durabilityUnknown: SettingsError?

    /// Makes the outcome of a commit.
    public init(text: [UInt8]?, durabilityUnknown: SettingsError? = nil) {
        self.text = text
        self.durabilityUnknown = durabilityUnknown
    }
}
