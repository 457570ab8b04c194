import Locking

/// For streams of several keys: whether any of them changed since it was last taken. The values are read when it is taken.
struct ChangedMark: MailboxContent {
    private var isChanged = true

    mutating func mark() { isChanged = true }

    mutating func take() -> Void? {
        guard isChanged else { return nil }
        isChanged = false
        return ()
    }
}

/// Tells the mailbox of a stream of several keys that one of them changed.
private final class MarkingReceiver<Value: SettingValue>: ChangeReceiver {
    private let mailbox: Mailbox<ChangedMark>

    init(_ mailbox: Mailbox<ChangedMark>) { self.mailbox = mailbox }

    func offer(_ change: SettingChange<Value>, _ wakes: inout Wakes) { mailbox.offer(&wakes) { $0.mark() } }

    func finish(_ wakes: inout Wakes) { mailbox.finish(&wakes) }
}

/// A cell without its type, for registering. The methods are called with the publication lock held.
private protocol FollowedCell: Sendable {
    func follow(_ mailbox: Mailbox<ChangedMark>) -> Int?
    func unfollow(_ slot: Int)
}

extension ReadableCell: FollowedCell {
    fileprivate func follow(_ mailbox: Mailbox<ChangedMark>) -> Int? {
        cell?.receivers.insert(MarkingReceiver<Value>(mailbox))
    }

    fileprivate func unfollow(_ slot: Int) { cell?.receivers.remove(slot) }
}

extension SettingsStore {
    /// The values of several keys at one revision, now and after each commit that changes one of them.
    ///
    /// The contract is that of ``values(of:)``: the first element is the state at the time of subscription or a newer one,
    /// a slow consumer gets the newest state, and a state that is the same as the one before is left out.
    ///
    /// ```swift
    /// for await (host, port) in settings.values(of: .host, .port) { … }
    /// ```
    public nonisolated func values<First: SettingValue, Second: SettingValue, each Rest: SettingValue>(
        of first: SettingKey<First>, _ second: SettingKey<Second>, _ rest: repeat SettingKey<each Rest>
    ) -> AsyncStream<(First, Second, repeat each Rest)> {
        tuples(of: first, second, repeat each rest)
    }

    private nonisolated func tuples<each Value: SettingValue>(
        of keys: repeat SettingKey<each Value>
    ) -> AsyncStream<(repeat each Value)> {
        let publication = publication
        let cells = CellTuple(repeat ReadableCell(of: each keys, in: publication))
        let mailbox = Mailbox(ChangedMark())
        let members = cells.members
        let slots: [Int?]? = publication.state.withLock { state in
            state.isFinished ? nil : members.map { $0.follow(mailbox) }
        }
        let last = LastResult<ValueTuple<repeat each Value>>()
        return .over(mailbox, in: publication, slot: slots.map { _ in 0 }) { _, _ in
            for (member, slot) in zip(members, slots ?? []) { if let slot { member.unfollow(slot) } }
            return nil
        } transform: { _ in
            let new = publication.state.withLock { _ in cells.load() }
            if let old = last.value, old.isSame(as: new) { return nil }
            last.set(new)
            return .some(new.values)
        }
    }
}

// Optionals of a tuple of a pack, and closures over a pack, cannot be compiled yet; these give them a name.

private struct CellTuple<each Value: SettingValue>: Sendable {
    private let cells: (repeat ReadableCell<each Value>)

    init(_ cells: repeat ReadableCell<each Value>) { self.cells = (repeat each cells) }

    var members: [any FollowedCell] {
        var members: [any FollowedCell] = []
        for cell in repeat each cells { members.append(cell) }
        return members
    }

    func load() -> ValueTuple<repeat each Value> { ValueTuple(values: (repeat (each cells).load())) }
}

private struct ValueTuple<each Value: SettingValue>: Sendable {
    let values: (repeat each Value)

    func isSame(as other: ValueTuple) -> Bool {
        for isSame in repeat (each values).isSame(as: each other.values) {
            if !isSame { return false }
        }
        return true
    }
}
