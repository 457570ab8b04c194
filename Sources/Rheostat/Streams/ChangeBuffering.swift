/// What a stream of changes does with those that have not been taken.
public struct ChangeBuffering: Hashable, Sendable {
    /// How many changes are kept apart.
    let limit: Int

    /// They are joined into one: the first `old`, the last `new`. The default.
    public static let joining = ChangeBuffering(limit: 1)

    /// Up to `limit` of them are kept as they are. Then the newest one joins those that follow, and
    /// ``SettingChange/joined`` says how many it took in.
    ///
    /// - Parameter limit: at least 1; anything less is taken for 1.
    public static func buffering(_ limit: Int) -> ChangeBuffering { ChangeBuffering(limit: max(1, limit)) }
}

/// For `changes(of:_:)`: the changes that have not been taken, the oldest first.
struct BufferedChanges<Value: SettingValue>: MailboxContent {
    private let limit: Int
    private var changes: [SettingChange<Value>] = []
    /// Those before it have been taken.
    private var first = 0

    init(_ buffering: ChangeBuffering) { limit = buffering.limit }

    mutating func join(_ change: SettingChange<Value>) {
        if changes.count - first >= limit {
            changes[changes.count - 1] = changes[changes.count - 1].followed(by: change)
        } else {
            if first > 0, first * 2 >= changes.count {
                changes.removeFirst(first)
                first = 0
            }
            changes.append(change)
        }
    }

    mutating func take() -> SettingChange<Value>? {
        guard first < changes.count else { return nil }
        let change = changes[first]
        first += 1
        if first == changes.count {
            changes.removeAll(keepingCapacity: limit < 64)
            first = 0
        }
        return change
    }
}

/// A mailbox of changes, as the cell sees it.
final class BufferedChangeReceiver<Value: SettingValue>: ChangeReceiver {
    let mailbox: Mailbox<BufferedChanges<Value>>

    init(_ buffering: ChangeBuffering) { mailbox = Mailbox(BufferedChanges(buffering)) }

    func offer(_ change: SettingChange<Value>, _ wakes: inout Wakes) {
        mailbox.offer(&wakes) { $0.join(change) }
    }

    func finish(_ wakes: inout Wakes) { mailbox.finish(&wakes) }
}
