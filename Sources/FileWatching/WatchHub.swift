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
///
/// One lock guards everything. Walks are made under it: a watched path on a server that does not answer holds up all
/// watchers of the process until it does.
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
        var waiting = HubWait(wake: wake?.number, mounts: mounts?.number)
        var noise = NoiseBreak()
        while true {
            let now = ContinuousClock.now
            let (outbox, isEnding, isQuiet) = state.withLock { state in
                state.sleepsUntil = nil
                state.takeEvents(at: now)
                let outbox = state.takeOutbox(at: now)
                let isQuiet = outbox.isEmpty && state.sleepIfNothingIsDue(at: now)
                return (outbox, state.isEnding, isQuiet)
            }
            for mailbox in outbox { mailbox.post() }
            if isEnding { return }
            if !isQuiet { (waiting.queue, waiting.end) = prepareToSleep() }
            noise.note(isNoise: isQuiet, at: now)
            if noise.isDue { waiting.pause(until: noise.end) }
            let ready = waiting.wait()
            if ready.contains(.wake) { wake?.clear() }
            if ready.contains(.mounts) { state.withLock { $0.noteMounts(at: ContinuousClock.now) } }
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
            state.hasNewQueue = false
            return (state.queue, deadline, outbox)
        }
        for mailbox in outbox { mailbox.post() }
        return (queue, deadline)
    }
}
