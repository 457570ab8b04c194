import Locking

extension SettingsStore {
    /// The value of `key` now, then each new value.
    ///
    /// The first element is the value at the time of subscription: no change between the two is missed, and none is told
    /// twice. A consumer that is slow gets the newest value and may miss some in between; it never blocks a writer.
    ///
    /// The stream ends when its task is cancelled, when the store is closed or gone, and when its last reference goes.
    /// It does not keep the store alive. Subscribers are independent: make one stream for each.
    ///
    /// Subscribing is synchronous and possible from everywhere. Its cost does not depend on how many subscribers there
    /// are; that of a change is proportional to the subscribers of its key.
    public nonisolated func values<Value: SettingValue>(of key: SettingKey<Value>) -> AsyncStream<Value> {
        guard let cell = publication.cell(for: key) else { return .just(key.defaultValue) }
        let (receiver, slot) = publication.state.withLock { state in
            let receiver = ValueReceiver(first: cell.load())
            return (receiver, state.isFinished ? nil : cell.receivers.insert(receiver))
        }
        let last = LastResult<Value>()
        return .over(receiver.mailbox, in: publication, slot: slot) { _, slot in
            cell.receivers.remove(slot)
        } transform: { value in
            // There and back again while nobody looked is no change.
            if let last = last.value, last.isSame(as: value) { return nil }
            last.set(value)
            return value
        }
    }

    /// Each change of `key` from now on, with its old and new value.
    ///
    /// A change's `old` is the `new` of the one before. Changes that a slow consumer has not taken are joined into one:
    /// the first `old` and the last `new`; if these are the same, nothing is told.
    ///
    /// It ends like ``values(of:)``.
    ///
    /// - Parameters:
    ///   - key: the setting to follow.
    ///   - buffering: how many changes are kept apart before they are joined; see ``ChangeBuffering``.
    public nonisolated func changes<Value: SettingValue>(
        of key: SettingKey<Value>, _ buffering: ChangeBuffering = .joining
    ) -> AsyncStream<SettingChange<Value>> {
        guard let cell = publication.cell(for: key) else { return .ended }
        let receiver = BufferedChangeReceiver<Value>(buffering)
        let slot = publication.state.withLock { state in
            state.isFinished ? nil : cell.receivers.insert(receiver)
        }
        return .over(receiver.mailbox, in: publication, slot: slot) { _, slot in
            cell.receivers.remove(slot)
        } transform: { change in
            change.old.isSame(as: change.new) ? nil : change
        }
    }

    /// Each commit from now on that changes a key, as a whole.
    ///
    /// It tells of the keys that were declared or have been used with this store. Commits that a slow consumer has not
    /// taken are joined. It ends like ``values(of:)``.
    public nonisolated func changes() -> AsyncStream<SettingsCommit> {
        let mailbox = Mailbox(JoinedCommit())
        let slot = publication.state.withLock { state in
            state.isFinished ? nil : state.commitReceivers.insert(mailbox)
        }
        return .over(mailbox, in: publication, slot: slot) { state, slot in
            state.commitReceivers.remove(slot)
        } transform: {
            $0
        }
    }

    /// Waits until the value of `key` fulfils `condition`, and returns it.
    ///
    /// It returns at once if the value does so now. It sees the newest value and may miss one that held for a moment only.
    ///
    /// - Throws: what `condition` throws, `CancellationError` when the task is cancelled, and ``SettingsError/closed``
    ///   when the store is closed first.
    public nonisolated func value<Value: SettingValue>(
        of key: SettingKey<Value>, where condition: (Value) throws -> Bool
    ) async throws -> Value {
        for await value in values(of: key) where try condition(value) { return value }
        try Task.checkCancellation()
        throw SettingsError.closedStore
    }

    /// The problems that stand now, then each new one, and each that is resolved.
    ///
    /// A problem that came and went before it was taken is left out, so what waits for a slow consumer is bounded by
    /// what stands. It ends like ``values(of:)``.
    public nonisolated func problems() -> AsyncStream<SettingsProblem> {
        let (mailbox, slot) = publication.state.withLock { state in
            let mailbox = Mailbox(PendingProblems(standing: Array(state.problems.standing.values)))
            return (mailbox, state.isFinished ? nil : state.problems.receivers.insert(mailbox))
        }
        return .over(mailbox, in: publication, slot: slot) { state, slot in
            state.problems.receivers.remove(slot)
        } transform: {
            $0
        }
    }
}

extension AsyncStream where Element: Sendable {
    /// A stream that has ended.
    static var ended: AsyncStream<Element> { AsyncStream { $0.finish() } }

    /// A stream of one element.
    static func just(_ element: Element) -> AsyncStream<Element> {
        AsyncStream {
            $0.yield(element)
            $0.finish()
        }
    }
}
