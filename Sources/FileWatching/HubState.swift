import SystemCalls

/// Everything the hub knows, for one thread at a time: the kernel's queue, who watches what, and each watcher's
/// schedule. Signals that fall due are gathered in an outbox, to be posted once the lock is released.
struct HubState: Sendable {
    typealias Instant = ContinuousClock.Instant
    typealias Watcher = WatchTable.Watcher

    struct Subscription: Sendable {
        let path: PathBytes
        let options: FileWatcher.Options
        let mailbox: SignalMailbox
        var schedule: LookSchedule
        var holdings: Set<WatchTable.Holding> = []
        var mode: FileWatcher.Mode
        /// The file the last walk led to.
        var file: FileIdentity?
        /// The entry of the file's own name, unless that is a link.
        var entry: PathBytes?
        /// What was read or polled last; nil before the first look.
        var seen: SeenSignature?
        var nextPoll: Instant

        init(path: PathBytes, options: FileWatcher.Options, mailbox: SignalMailbox, now: Instant) {
            self.path = path
            self.options = options
            self.mailbox = mailbox
            schedule = LookSchedule(times: options.times)
            mode = .notified
            nextPoll = now
        }
    }

    /// A signature, or that there was none to be had.
    struct SeenSignature: Hashable, Sendable { let signature: FileSignature? }

    enum Extent: Sendable { case path, lastStep }

    let calls: InotifyCalls
    var queue: InotifyQueue?
    /// Why there is no queue.
    var queueFailure: SystemError?
    var table = WatchTable()
    var subscriptions: [Watcher: Subscription] = [:]
    private var latest: Watcher = 0
    /// Those whose path has to be walked again: the whole of it, or its last step alone.
    private(set) var unwalked: [Watcher: Extent] = [:]
    /// Those whose schedule was changed since their signals were last gathered.
    private var touched: Set<Watcher> = []
    private var outbox: [SignalMailbox] = []
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)
    /// No deadline of any watcher lies before it.
    private var earliest: Instant?
    /// When to try to get events again.
    private var retryAt: Instant?
    /// Until when the thread sleeps; nil while it is awake and will look at the deadlines before it sleeps.
    var sleepsUntil: Instant? {
        didSet { if sleepsUntil != nil { sleptUntil = sleepsUntil } }
    }
    /// Until when it slept last.
    private var sleptUntil: Instant?
    var isEnding = false
    var threadFailure: SystemError?

    /// The thread does not sleep on the queue yet.
    var hasNewQueue = false

    init(calls: InotifyCalls) { self.calls = calls }

    private mutating func openQueue() {
        do throws(SystemError) {
            queue = try InotifyQueue(calls: calls)
            queueFailure = nil
            hasNewQueue = true
        } catch {
            queueFailure = error
        }
    }

    // MARK: Watchers

    mutating func attach(_ subscription: Subscription, at now: Instant) -> Watcher {
        latest += 1
        subscriptions[latest] = subscription
        // Not before somebody wants it: a user has few, and one who chose to poll needs none.
        if subscription.options.polling == .automatic, queue == nil, queueFailure == nil { openQueue() }
        walk(latest, at: now)
        return latest
    }

    mutating func detach(_ watcher: Watcher) {
        guard let subscription = subscriptions.removeValue(forKey: watcher) else { return }
        release(subscription.holdings, of: watcher)
        unwalked[watcher] = nil
        touched.remove(watcher)
    }

    mutating func release(_ holdings: Set<WatchTable.Holding>, of watcher: Watcher) {
        for holding in holdings where table.remove(holding, of: watcher) { queue?.remove(holding.watch) }
    }

    mutating func touch(_ watcher: Watcher) { touched.insert(watcher) }

    mutating func post(to watcher: Watcher) {
        if let mailbox = subscriptions[watcher]?.mailbox { outbox.append(mailbox) }
    }

    // MARK: Events

    /// `extent` is what may have changed of the path.
    mutating func note(
        _ event: LookSchedule.Event, for watcher: Watcher, changing extent: Extent = .path, at now: Instant
    ) {
        touched.insert(watcher)
        guard subscriptions[watcher]?.schedule.note(event, at: now) == true else { return }
        if extent == .path || unwalked[watcher] == nil { unwalked[watcher] = extent }
    }

    /// Takes in all events that wait.
    mutating func takeEvents(at now: Instant) {
        guard let queue else { return }
        // Taken out meanwhile: what is called changes the rest of the state.
        var buffer: [UInt8] = []
        swap(&buffer, &self.buffer)
        defer { swap(&buffer, &self.buffer) }
        queue.drain(by: &buffer) { watch, mask, name in
            if mask & InotifyMask.overflow != 0 {
                for watcher in subscriptions.keys { note(.eventsLost, for: watcher, at: now) }
                return
            }
            if name.isEmpty {
                takeSelfEvent(watch, mask, at: now)
                return
            }
            for (watcher, interest) in table.interests(in: watch, name: name) {
                switch interest {
                case .file:
                    guard let event = InotifyMask.event(file: mask, .entry) else { continue }
                    note(event, for: watcher, changing: .lastStep, at: now)
                case .entry, .inode:
                    guard let event = InotifyMask.event(entry: mask) else { continue }
                    note(event, for: watcher, at: now)
                }
            }
        }
    }

    private mutating func takeSelfEvent(_ watch: CInt, _ mask: UInt32, at now: Instant) {
        let owners = table.inodeWatchers(of: watch)
        for watcher in owners {
            guard let event = InotifyMask.event(file: mask, .inode) else { continue }
            note(event, for: watcher, changing: .lastStep, at: now)
        }
        if let event = InotifyMask.event(directory: mask) {
            for watcher in table.watchers(of: watch).subtracting(owners) { note(event, for: watcher, at: now) }
        }
        // The kernel has removed this watch; one of a number that is not in the table was removed by us.
        if mask & InotifyMask.ignored != 0 { table.drop(watch) }
    }

    /// Something was mounted or unmounted: no event tells of that.
    mutating func noteMounts(at now: Instant) {
        for watcher in subscriptions.keys { walk(watcher, unannounced: true, at: now) }
    }

    // MARK: Walks

    mutating func walkPending(at now: Instant) {
        while let (watcher, extent) = unwalked.popFirst() { walk(watcher, extent, at: now) }
    }

    mutating func walkIfPending(_ watcher: Watcher, at now: Instant) {
        let isPutOff = subscriptions[watcher]?.schedule.takeNeedsWalk() ?? false
        let extent = unwalked.removeValue(forKey: watcher)
        if let extent = isPutOff ? .path : extent { walk(watcher, extent, at: now) }
    }

    mutating func walkAgainLater(_ watcher: Watcher, at now: Instant) {
        subscriptions[watcher]?.schedule.walkAgain(at: now)
        touched.insert(watcher)
    }

    // MARK: Deadlines

    /// The mailboxes to post to, outside the lock.
    mutating func takeOutbox(at now: Instant) -> [SignalMailbox] {
        if let earliest, earliest <= now {
            touched = Set(subscriptions.keys)
            self.earliest = nil
        }
        for watcher in touched {
            guard let subscription = subscriptions[watcher] else { continue }
            if subscriptions[watcher]?.schedule.takeDue(at: now) == true {
                outbox.append(subscription.mailbox)
                if subscriptions[watcher]?.schedule.takeNeedsWalk() == true { unwalked[watcher] = .path }
            }
            wake(by: subscriptions[watcher]?.schedule.due)
            wake(by: subscription.nextPoll)
        }
        touched = []
        defer { outbox = [] }
        return outbox
    }

    private mutating func wake(by instant: Instant?) {
        guard let instant else { return }
        earliest = earliest.map { min($0, instant) } ?? instant
    }

    /// The next moment at which something is to be done. Signals have been gathered before.
    var deadline: Instant? {
        guard let retryAt else { return earliest }
        return earliest.map { min($0, retryAt) } ?? retryAt
    }

    /// Whether the thread may go back to sleep as it slept before: events came that concerned nobody.
    mutating func sleepIfNothingIsDue(at now: Instant) -> Bool {
        guard let before = sleptUntil, before > now, deadline == before else { return false }
        guard unwalked.isEmpty, !hasNewQueue, !isEnding else { return false }
        sleepsUntil = before
        return true
    }

    /// Whether the thread must be woken: something is to be done before it would wake by itself.
    mutating func takeWakesThread() -> Bool {
        guard let sleepsUntil else { return false }
        let isLate = deadline.map { $0 < sleepsUntil } ?? false
        guard isLate || hasNewQueue || !unwalked.isEmpty else { return false }
        self.sleepsUntil = nil
        return true
    }

    // MARK: Polls

    /// The watchers whose file is to be polled now; their next poll is set.
    mutating func takePolls(at now: Instant) -> [(watcher: Watcher, path: PathBytes)] {
        var polls: [(watcher: Watcher, path: PathBytes)] = []
        for (watcher, subscription) in subscriptions where subscription.nextPoll <= now {
            subscriptions[watcher]?.nextPoll = now + subscription.pollInterval
            touched.insert(watcher)
            polls.append((watcher, subscription.path))
        }
        return polls
    }

    mutating func notePoll(_ signature: FileSignature?, of watcher: Watcher, at now: Instant) {
        guard let seen = subscriptions[watcher]?.seen, seen.signature != signature else { return }
        subscriptions[watcher]?.seen = SeenSignature(signature: signature)
        note(.signatureChanged, for: watcher, at: now)
    }

    /// Tries again what the kernel has refused.
    mutating func retryIfDue(at now: Instant) {
        guard let retryAt, retryAt <= now else { return }
        self.retryAt = nil
        if queue == nil, queueFailure != nil { openQueue() }
        for (watcher, subscription) in subscriptions {
            if case .degraded = subscription.mode { walk(watcher, unannounced: true, at: now) }
        }
    }

    mutating func retryNoLater(than instant: Instant) { retryAt = retryAt.map { min($0, instant) } ?? instant }
}

extension HubState.Subscription {
    var pollInterval: Duration {
        switch mode {
        case .notified: options.intervals.safety
        case .degraded: options.intervals.degraded
        case .polling(.forced):
            if case .forced(let interval) = options.polling { interval } else { options.intervals.silent }
        case .polling: options.intervals.silent
        }
    }
}
