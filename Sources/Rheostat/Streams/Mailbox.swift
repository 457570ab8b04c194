import Locking

/// What a mailbox keeps until it is taken. Putting something in joins it with what is there, so the size is bounded.
protocol MailboxContent: Sendable {
    associatedtype Element: Sendable
    /// Takes the next element out. Called under the mailbox's lock; runs no code of the user.
    mutating func take() -> Element?
}

/// What must be woken once the publication lock is released.
struct Wakes {
    private var mailboxes: [any Wakeable] = []

    mutating func append(_ mailbox: any Wakeable) { mailboxes.append(mailbox) }

    /// Hands what waits in the mailboxes to those who wait for it. Called without any lock.
    consuming func run() {
        for mailbox in mailboxes { mailbox.wake() }
    }
}

protocol Wakeable: AnyObject, Sendable {
    func wake()
}

/// One subscriber's place between the store and its loop.
///
/// The store offers while it holds the publication lock: that never blocks, never resumes anybody and never grows beyond
/// what the content joins. The loop takes, or waits. After ``finish(_:)`` what is left is still delivered, then `nil`.
final class Mailbox<Content: MailboxContent>: Wakeable {
    private struct State {
        var content: Content
        var isFinished = false
        /// What is left is not delivered any more. It may hold values of the user's, so it goes with the mailbox and not
        /// inside the lock.
        var isCancelled = false
        /// More than one only when several tasks iterate one stream, which then share its elements.
        var waiters: [CheckedContinuation<Content.Element?, Never>] = []

        mutating func take() -> Content.Element? { isCancelled ? nil : content.take() }
    }

    private let state: Lock<State>

    init(_ content: Content) { state = Lock(State(content: content)) }

    /// Changes the content; whoever waits is woken by `wakes`.
    func offer(_ wakes: inout Wakes, _ change: (inout Content) -> Void) {
        let hasWaiters = state.withLock { state in
            change(&state.content)
            return !state.waiters.isEmpty
        }
        if hasWaiters { wakes.append(self) }
    }

    /// Nothing will be offered any more.
    func finish(_ wakes: inout Wakes) {
        let hasWaiters = state.withLock { state in
            state.isFinished = true
            return !state.waiters.isEmpty
        }
        if hasWaiters { wakes.append(self) }
    }

    /// Ends at once: what waits is dropped. Called without any lock.
    func cancel() {
        let waiters = state.withLock { state in
            state.isFinished = true
            state.isCancelled = true
            let waiters = state.waiters
            state.waiters = []
            return waiters
        }
        for waiter in waiters { waiter.resume(returning: nil) }
    }

    func wake() {
        while true {
            let next: (CheckedContinuation<Content.Element?, Never>, Content.Element?)? = state.withLock { state in
                guard let waiter = state.waiters.first else { return nil }
                let element = state.take()
                guard element != nil || state.isFinished else { return nil }
                state.waiters.removeFirst()
                return (waiter, element)
            }
            guard let (waiter, element) = next else { return }
            waiter.resume(returning: element)
        }
    }

    /// The next element; `nil` when the mailbox is finished and empty.
    func next() async -> Content.Element? {
        if case .some(let now) = takeNow() { return now }
        return await withCheckedContinuation { waiter in
            let now: Content.Element?? = state.withLock { state in
                if let element = state.take() { return .some(element) }
                if state.isFinished { return .some(nil) }
                state.waiters.append(waiter)
                return nil
            }
            if case .some(let element) = now { waiter.resume(returning: element) }
        }
    }

    /// An element or the end if one is there now; `nil` when it must be waited for.
    private func takeNow() -> Content.Element?? {
        state.withLock { state in
            if let element = state.take() { return .some(element) }
            return state.isFinished ? .some(nil) : nil
        }
    }
}
