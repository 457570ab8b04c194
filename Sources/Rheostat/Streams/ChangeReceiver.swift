/// Somebody who is told of each change of one key. Called with the publication lock held.
protocol ChangeReceiver<Value>: AnyObject, Sendable {
    associatedtype Value: SettingValue
    func offer(_ change: SettingChange<Value>, _ wakes: inout Wakes)
    func finish(_ wakes: inout Wakes)
}

/// For `values(of:)`: the newest value.
struct LatestValue<Value: SettingValue>: MailboxContent {
    var newest: Value?

    mutating func take() -> Value? {
        defer { newest = nil }
        return newest
    }
}

/// For `changes(of:)`: one change that joins those that have not been taken.
struct JoinedChange<Value: SettingValue>: MailboxContent {
    var pending: SettingChange<Value>?

    mutating func join(_ change: SettingChange<Value>) { pending = pending?.followed(by: change) ?? change }

    mutating func take() -> SettingChange<Value>? {
        defer { pending = nil }
        return pending
    }
}

/// For the store's `changes()`: one commit that joins those that have not been taken.
struct JoinedCommit: MailboxContent {
    var pending: SettingsCommit?

    mutating func join(_ commit: SettingsCommit) {
        pending = SettingsCommit(
            keys: pending.map { $0.keys.union(commit.keys) } ?? commit.keys, cause: commit.cause,
            revision: commit.revision)
    }

    mutating func take() -> SettingsCommit? {
        defer { pending = nil }
        return pending
    }
}

/// A mailbox of the newest value, as the cell sees it.
final class ValueReceiver<Value: SettingValue>: ChangeReceiver {
    let mailbox: Mailbox<LatestValue<Value>>

    init(first: Value) { mailbox = Mailbox(LatestValue(newest: first)) }

    func offer(_ change: SettingChange<Value>, _ wakes: inout Wakes) {
        mailbox.offer(&wakes) { $0.newest = .some(change.new) }
    }

    func finish(_ wakes: inout Wakes) { mailbox.finish(&wakes) }
}

/// A mailbox of joined changes, as the cell sees it.
final class JoinedChangeReceiver<Value: SettingValue>: ChangeReceiver {
    let mailbox = Mailbox(JoinedChange<Value>())

    func offer(_ change: SettingChange<Value>, _ wakes: inout Wakes) {
        mailbox.offer(&wakes) { $0.join(change) }
    }

    func finish(_ wakes: inout Wakes) { mailbox.finish(&wakes) }
}
