/// The steps of a commit and of a load at which a ``GatedBackend`` can hold its store.
public enum BackendStep: String, CaseIterable, Sendable, CustomStringConvertible {
    /// A commit begins; the backend has taken no lock and read nothing.
    case beforeLock
    /// The commit has read the text, under its lock if it has one; the store has not yet been told.
    case afterRead
    /// The store has made the new text; the old one still stands. Not reached when nothing is to be written.
    case beforeReplacement
    /// The new text stands and is durable; the store does not know it, and has published nothing. Not reached when
    /// nothing was written or the commit failed.
    case afterReplacement
    /// A load begins.
    case beforeLoad
    /// A load has read; the store does not know what.
    case afterLoad

    /// The steps of a commit, in their order.
    public static let ofCommit: [BackendStep] = [.beforeLock, .afterRead, .beforeReplacement, .afterReplacement]

    /// The steps of a load, in their order.
    public static let ofLoad: [BackendStep] = [.beforeLoad, .afterLoad]

    /// The name of the case.
    public var description: String { rawValue }
}
