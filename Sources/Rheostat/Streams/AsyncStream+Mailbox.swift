import Locking

/// A place in a registry of the publication, given back when the last reference to the stream goes.
final class Subscription: Sendable {
    private let publication: Publication
    private let slot: Int?
    private let remove: @Sendable (inout Publication.State, Int) -> (any Sendable)?

    /// - Parameters:
    ///   - slot: the number in the registry; `nil` when the store had ended.
    ///   - remove: takes the receiver out, and returns it so that it goes outside of the lock.
    init(
        in publication: Publication, slot: Int?,
        remove: @escaping @Sendable (inout Publication.State, Int) -> (any Sendable)?
    ) {
        self.publication = publication
        self.slot = slot
        self.remove = remove
    }

    deinit {
        guard let slot else { return }
        let removed = publication.state.withLock { state in
            state.isFinished ? nil : remove(&state, slot)
        }
        _ = removed
    }
}

extension AsyncStream where Element: Sendable {
    /// A stream over a mailbox that is registered in `slot`.
    ///
    /// It is pulled, so nothing piles up in it. The registration is owned by the stream's closure alone: it is given back
    /// when the task is cancelled and when stream and iterators are gone.
    ///
    /// - Parameter transform: makes an element of what was taken, outside of any lock; `nil` leaves it out.
    static func over<Content: MailboxContent>(
        _ mailbox: Mailbox<Content>, in publication: Publication, slot: Int?,
        remove: @escaping @Sendable (inout Publication.State, Int) -> (any Sendable)?,
        transform: @escaping @Sendable (Content.Element) -> Element?
    ) -> AsyncStream<Element> {
        if slot == nil { mailbox.cancel() }
        let subscription = Subscription(in: publication, slot: slot, remove: remove)
        return AsyncStream {
            while let taken = await mailbox.next() {
                if let element = transform(taken) { return element }
            }
            withExtendedLifetime(subscription) {}
            return nil
        } onCancel: {
            mailbox.cancel()
        }
    }
}
