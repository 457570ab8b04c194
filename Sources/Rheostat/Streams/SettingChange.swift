/// A change of one setting's effective value.
public struct SettingChange<Value: SettingValue>: Sendable {
    /// The value before: the `new` of the change that this subscriber was given last.
    public let old: Value

    /// The value since.
    public let new: Value

    /// Why it changed. Of several joined changes, the last one's.
    public let cause: ChangeCause

    /// The revision of the store at which it changed. Of several joined changes, the last one's. Revisions rise; changes
    /// of several keys with the same revision were made by one commit.
    public let revision: UInt64

    /// How many changes were joined into this one because they had not been taken: 0 for a single one.
    public let joined: Int

    let isSecret: Bool

    init(old: Value, new: Value, cause: ChangeCause, revision: UInt64, joined: Int = 0, isSecret: Bool) {
        self.old = old
        self.new = new
        self.cause = cause
        self.revision = revision
        self.joined = joined
        self.isSecret = isSecret
    }

    /// This change and the `next` one as one.
    func followed(by next: SettingChange) -> SettingChange {
        SettingChange(
            old: old, new: next.new, cause: next.cause, revision: next.revision, joined: joined + 1 + next.joined,
            isSecret: isSecret)
    }
}

extension SettingChange: CustomStringConvertible, CustomReflectable {
    /// Both values, cause and revision, such as `8080 -> 9090 (local, revision 3)`. Without the values of a secret key.
    public var description: String {
        let values = isSecret ? "a secret changed" : "\(old) -> \(new)"
        return "\(values) (\(cause), revision \(revision))"
    }

    /// Shows no value of a secret key.
    public var customMirror: Mirror {
        isSecret
            ? Mirror(self, children: ["cause": cause, "revision": revision])
            : Mirror(self, children: ["old": old, "new": new, "cause": cause, "revision": revision])
    }
}

/// What made a setting change.
public struct ChangeCause: Hashable, Sendable, CustomStringConvertible {
    private enum Name: String { case local, external, rollback }
    private let name: Name

    /// A write through this store.
    public static let local = ChangeCause(name: .local)

    /// An edit of the file by another program or a person, or a write through another store.
    public static let external = ChangeCause(name: .external)

    /// An assignment could not be written, and what is committed is shown again.
    public static let rollback = ChangeCause(name: .rollback)

    /// `local`, `external` or `rollback`.
    public var description: String { name.rawValue }
}

/// One publication of a store, with all that it changed.
public struct SettingsCommit: Sendable {
    /// The names of the keys whose effective value changed: of those that were declared or used with the store.
    ///
    /// For a consumer that was slow this is the union of the commits it missed.
    public let keys: Set<String>

    /// Why; of several joined commits, the last one's.
    public let cause: ChangeCause

    /// The revision that this commit made.
    public let revision: UInt64

    /// Whether it changed `key`.
    public func contains(_ key: SettingKeys) -> Bool { keys.contains(key.name) }
}

/// What all events of one publication have in common.
struct PublicationStamp: Sendable {
    let cause: ChangeCause
    let revision: UInt64
}
