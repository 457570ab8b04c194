import Locking
import SystemCalls

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// One inotify queue and one thread for all watchers of a process.
///
/// The thread sleeps until there are events, a deadline, a mount or a wake-up; it posts signals and sets watches. It
/// never reads a watched file and never runs code of a watcher's owner. Threads that read take in events themselves,
/// so that what they judge by is never behind.
final class WatchHub: Sendable {
    typealias Instant = ContinuousClock.Instant

    private let state: Lock<HubState>
    /// Nil when no descriptor was to be had; the thread then looks around more often.
    private let wake: WakeSignal?
    /// Set once, before anybody can end the hub.
    private let thread = Lock<pthread_t?>(nil)

    init(calls: InotifyCalls) {
        state = Lock(HubState(calls: calls))
        wake = try? WakeSignal()
        do throws(SystemError) {
            let started = try HubThread.start { [self] in run() }
            thread.withLock { $0 = started }
        } catch {
            state.withLock { $0.threadFailure = error }
        }
    }

    /// Takes in what has happened, then runs `body` under the lock; posts the signals that fell due afterwards.
    ///
    /// With `watcher` its path is walked again first if it has to be.
    func update<Result: Sendable>(
        walking watcher: WatchTable.Watcher? = nil, _ body: (inout HubState, Instant) -> Result
    ) -> Result {
        let now = ContinuousClock.now
        let (result, outbox, wakes) = state.withLock { state in
            state.takeEvents(at: now)
            if let watcher { state.walkIfPending(watcher, at: now) }
            let result = body(&state, now)
            return (result, state.takeOutbox(at: now), state.takeWakesThread())
        }
        if wakes { wake?.raise() }
        for mailbox in outbox { mailbox.post() }
        return result
    }

    /// Ends the thread and waits for that. Nobody is attached any more.
    func end() {
        state.withLock { $0.isEnding = true }
        wake?.raise()
        if let thread = thread.withLock({ $0 }) { HubThread.join(thread) }
        state.withLock { $0.queue = nil }
    }

    // MARK: The thread

    private func run() {
        HubThread.nameCurrent("rheostat-watch")
        let mounts = MountTable()
        var haste = NoiseBreak()
        while true {
            wake?.clear()
            let now = ContinuousClock.now
            let (outbox, isEnding, isConcerned) = state.withLock { state in
                state.sleepsUntil = nil
                let isConcerned = state.takeEvents(at: now)
                return (state.takeOutbox(at: now), state.isEnding, isConcerned)
            }
            for mailbox in outbox { mailbox.post() }
            if isEnding { return }
            let (queue, deadline) = prepareToSleep()
            haste.note(isConcerned: isConcerned || !outbox.isEmpty, at: now)
            if haste.isDue { sleep(on: [wake?.number ?? -1], until: min(deadline ?? haste.end, haste.end)) }
            let ready = sleep(
                on: [wake?.number ?? -1, queue?.descriptor.number ?? -1, mounts?.number ?? -1], until: deadline)
            if ready.last == true { state.withLock { $0.noteMounts(at: ContinuousClock.now) } }
        }
    }

    /// Does what may take longer than posting a signal, and tells what to sleep on and until when.
    private func prepareToSleep() -> (InotifyQueue?, Instant?) {
        let now = ContinuousClock.now
        let polls = state.withLock { state in
            state.retryIfDue(at: now)
            state.walkPending(at: now)
            return state.takePolls(at: now)
        }
        // Outside the lock, since a dead server makes it take long.
        let found = polls.map { ($0.watcher, try? FileSignature(at: $0.path)) }
        let (queue, deadline, outbox) = state.withLock { state in
            let now = ContinuousClock.now
            for (watcher, signature) in found { state.notePoll(signature, of: watcher, at: now) }
            let outbox = state.takeOutbox(at: now)
            let deadline = state.unwalked.isEmpty ? state.deadline : now
            state.sleepsUntil = deadline ?? now + .seconds(3600)
            return (state.queue, deadline, outbox)
        }
        for mailbox in outbox { mailbox.post() }
        return (queue, deadline)
    }

    /// Sleeps until one of `descriptors` is ready, or `end`; tells which are.
    @discardableResult
    private func sleep(on descriptors: [CInt], until end: Instant?) -> [Bool] {
        var requests = descriptors.enumerated().map { index, number in
            pollfd(fd: number, events: Int16(index == 2 ? POLLPRI : POLLIN), revents: 0)
        }
        var milliseconds: CInt = wake == nil ? 100 : -1
        if let end {
            let left = max(.zero, end - ContinuousClock.now).components
            // Rounded up, so that it does not wake just before the deadline.
            let rounded = left.seconds * 1000 + (left.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
            milliseconds = CInt(min(rounded, wake == nil ? 100 : 3_600_000))
        }
        // Woken early or without cause, the caller looks and sleeps again.
        guard poll(&requests, nfds_t(requests.count), milliseconds) > 0 else {
            return requests.map { _ in false }
        }
        return requests.map { $0.revents != 0 }
    }
}
