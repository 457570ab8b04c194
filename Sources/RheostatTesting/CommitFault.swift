public import Rheostat

/// What goes wrong with a commit; see ``FailingBackend``.
public struct CommitFault: Sendable {
    enum Kind: Sendable {
        case refused(SettingsError)
        case notWritten(SettingsError)
        case durabilityUnknown(SettingsError)
        case answerLost(SettingsError)
        case rivals([String])
        case reads(SettingsBackendReading)
    }

    let kind: Kind

    /// It fails at once: nothing is read, the store's code does not run, nothing is changed.
    public static func refused(_ error: SettingsError) -> CommitFault { CommitFault(kind: .refused(error)) }

    /// The store's code has made the new text, and then the write fails: nothing is changed.
    ///
    /// A commit that has nothing to write does not fail.
    public static func notWritten(_ error: SettingsError) -> CommitFault { CommitFault(kind: .notWritten(error)) }

    /// The write is made and seen by all, but it is not sure that it survives a loss of power.
    public static func durabilityUnknown(
        _ error: SettingsError = SettingsError(.durabilityUnknown, "the directory could not be synced")
    ) -> CommitFault {
        CommitFault(kind: .durabilityUnknown(error))
    }

    /// The write is made, but the backend does not learn it and throws `error`, as when the answer of a server is lost.
    ///
    /// A backend must not do so if it can help it: the store then finds its own write as an edit by somebody else.
    public static func answerLost(_ error: SettingsError) -> CommitFault { CommitFault(kind: .answerLost(error)) }

    /// Somebody else is quicker, once for each text: the store's code runs on the text that was there, then on each of
    /// `texts`, and what it makes of the last one is written. If it then writes nothing or throws, the rival's text stays.
    ///
    /// No rival comes when the first run writes nothing or throws.
    public static func rivals(_ texts: String...) -> CommitFault { CommitFault(kind: .rivals(texts)) }

    /// The commit reads `reading` in the place of what is there, and writes what the store's code makes of it.
    public static func reads(_ reading: SettingsBackendReading) -> CommitFault { CommitFault(kind: .reads(reading)) }
}
