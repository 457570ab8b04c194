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

    let calls: InotifyCalls
    var queue: InotifyQueue?
    /// Why there is no queue.
    var queueFailure: SystemError?
    var table = WatchTable()
    var subscriptions: [Watcher: Subscription] = [:]
    private var latest: Watcher = 0
    /// Those whose path has to be walked again.
    private(set) var unwalked: Set<Watcher> = []
    /// Those whose schedule was changed since their signals were last gathered.
    private var touched: Set<Watcher> = []
    private var outbox: [SignalMailbox] = []
    /// No deadline of any watcher lies before it.
    private var earliest: Instant?
    /// When to try to get events again.
    private var retryAt: Instant?
    /// Until when the thread sleeps; nil while it is awake and will look at the deadlines before it sleeps.
    var sleepsUntil: Instant?
    var isEnding = false
    var threadFailure: SystemError?

    init(calls: InotifyCalls) {
        self.calls = calls
        openQueue()
    }

    private mutating func openQueue() {
        do throws(SystemError) {
            queue = try InotifyQueue(calls: calls)
            queueFailure = nil
        } catch {
            queueFailure = error
        }
    }

    // MARK: Watchers

    mutating func attach(_ subscription: Subscription, at now: Instant) -> Watcher {
        latest += 1
        subscriptions[latest] = subscription
        walk(latest, at: now, comparing: false)
        return latest
    }

    mutating func detach(_ watcher: Watcher) {
        guard let subscription = subscriptions.removeValue(forKey: watcher) else { return }
        release(subscription.holdings, of: watcher)
        unwalked.remove(watcher)
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

    mutating func note(_ event: LookSchedule.Event, for watcher: Watcher, at now: Instant) {
        subscriptions[watcher]?.schedule.note(event, at: now)
        touched.insert(watcher)
        if subscriptions[watcher]?.schedule.takeNeedsWalk() == true { unwalked.insert(watcher) }
    }

    /// Takes in all events that wait; true when one concerned a watcher.
    @discardableResult
    mutating func takeEvents(at now: Instant) -> Bool {
        guard let queue else { return false }
        let before = touched.count
        queue.drain { watch, mask, name in
            if mask & InotifyMask.overflow != 0 {
                for watcher in subscriptions.keys { note(.eventsLost, for: watcher, at: now) }
                return
            }
            if name.isEmpty {
                takeSelfEvent(watch, mask, at: now)
                return
            }
            for (watcher, interest) in table.interests(in: watch, name: name) {
                let event =
                    switch interest {
                    case .file: InotifyMask.event(file: mask, .entry)
                    case .entry, .inode: InotifyMask.event(entry: mask)
                    }
                if let event { note(event, for: watcher, at: now) }
            }
        }
        return touched.count != before
    }

    private mutating func takeSelfEvent(_ watch: CInt, _ mask: UInt32, at now: Instant) {
        let owners = table.inodeWatchers(of: watch)
        for watcher in owners {
            if let event = InotifyMask.event(file: mask, .inode) { note(event, for: watcher, at: now) }
        }
        if let event = InotifyMask.event(directory: mask) {
            for watcher in table.watchers(of: watch).subtracting(owners) { note(event, for: watcher, at: now) }
        }
        // The kernel has removed this watch; one of a number that is not in the table was removed by us.
        if mask & InotifyMask.ignored != 0 { table.drop(watch) }
    }

    /// Something was mounted or unmounted: no event tells of that.
    mutating func noteMounts(at now: Instant) {
        for watcher in subscriptions.keys { walk(watcher, at: now, comparing: true) }
    }

    // MARK: Walks

    mutating func walkPending(at now: Instant) {
        while let watcher = unwalked.popFirst() { walk(watcher, at: now, comparing: false) }
    }

    mutating func walkIfPending(_ watcher: Watcher, at now: Instant) {
        let isPutOff = subscriptions[watcher]?.schedule.takeNeedsWalk() ?? false
        if unwalked.remove(watcher) != nil || isPutOff { walk(watcher, at: now, comparing: false) }
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
                if subscriptions[watcher]?.schedule.takeNeedsWalk() == true { unwalked.insert(watcher) }
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

    /// Whether the thread must be woken: something is to be done before it would wake by itself.
    mutating func takeWakesThread() -> Bool {
        guard let sleepsUntil else { return false }
        guard !unwalked.isEmpty || deadline.map({ $0 < sleepsUntil }) ?? false else { return false }
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
        if queue == nil { openQueue() }
        for (watcher, subscription) in subscriptions {
            if case .degraded = subscription.mode { walk(watcher, at: now, comparing: true) }
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
