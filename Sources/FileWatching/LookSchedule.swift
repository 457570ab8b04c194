/// When the file behind one path is to be looked at, and whether what a look found counts.
///
/// Free of system calls and clocks: events and readings go in with the moment they happened, a deadline and verdicts
/// come out. Every delay is counted from the first event that caused it, so that no stream of events can put a look
/// off for ever; only evidence of an unfinished edit delays at all.
struct LookSchedule: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// The two watches that report a write: of the directory, by name, and of the file itself.
    struct Channel: OptionSet, Hashable, Sendable {
        let rawValue: UInt8
        static let entry = Channel(rawValue: 1)
        static let inode = Channel(rawValue: 2)
    }

    enum Event: Hashable, Sendable {
        /// The file was written or truncated; its writer has not closed it yet.
        case modified(Channel)
        /// A descriptor open for writing was closed.
        case closed(Channel)
        /// A complete entry came to stand on the path, by rename.
        case movedIn
        /// An entry was made on the path; what it will hold may still be on its way.
        case created
        /// An entry of the path, or the file itself, went away.
        case gone(Channel)
        /// Mode, owner, times or link count changed.
        case attributes
        /// The kernel dropped events.
        case eventsLost
        /// The path leads to another file, or to one again, and no event has told why.
        case foundAnother
        /// The path leads to no file any more, and no event has told why.
        case foundNone
        /// A poll found the file to differ from what was read last.
        case signatureChanged

        /// Whether the path may lead elsewhere after it.
        fileprivate var movesPath: Bool {
            switch self {
            case .modified, .closed, .foundAnother, .foundNone: false
            case .movedIn, .created, .gone, .attributes, .eventsLost, .signatureChanged: true
            }
        }
    }

    /// What a look found.
    enum Finding: Hashable, Sendable {
        case content
        case empty
        case missing
        /// Unreadable, too large, or no regular file.
        case trouble
        /// Unreadable for a reason that passes without an event, such as a want of descriptors.
        case shortage
        /// Written while it was read.
        case changed
    }

    enum Verdict: Hashable, Sendable {
        case settled
        /// It does not count; `due` is set.
        case unsettled
        /// It does not count, but looking again at once may do.
        case again
    }

    /// A look under way.
    struct Look: Sendable {
        fileprivate let version: UInt64
        fileprivate let writes: UInt64
    }

    private let times: FileWatcher.GraceTimes
    /// Whether events tell of every change; else two equal signatures take the place of the closing event.
    var hasEvents = true

    /// When the consumer has to be told to look again; nil when nothing has happened.
    private(set) var due: Instant?
    private var needsWalk = false

    /// Counts the events after which bytes read before may be stale.
    private var version: UInt64 = 0
    /// Counts the events after which bytes read meanwhile may be torn.
    private var writes: UInt64 = 0
    private var writers: Channel = []
    private var writerSince: Instant?
    /// The writer at work has had its time: what it has written so far is taken.
    private var isWriterOverdue = false
    private var settlesAt: Instant?
    private var latestEvent: Instant?

    private var absentSince: Instant?
    private var emptySince: Instant?
    private var troubledSince: Instant?
    private var unconfirmed: (signature: FileSignature?, since: Instant, first: Instant)?
    private var wasFoundByPoll = false

    /// What the last reading that counted was.
    private var settled: (finding: Finding, signature: FileSignature?)?

    init(times: FileWatcher.GraceTimes) { self.times = times }

    // MARK: Events

    /// Takes in an event. True when the path has to be walked again before the next look, so that the watches lie
    /// where it leads now.
    mutating func note(_ event: Event, at now: Instant) -> Bool {
        if event != .signatureChanged { wasFoundByPoll = false }
        latestEvent = now
        switch event {
        case .modified(let channel):
            version &+= 1
            writes &+= 1
            writers.insert(channel)
            if isWriterOverdue {
                lookNoLater(than: now + times.settle)
            } else {
                let since = writerSince ?? now
                writerSince = since
                due = since + times.writer
            }
        case .closed(let channel):
            writers.remove(channel)
            guard writers.isEmpty else { break }
            endWriter()
            settlesAt = nil
            due = now
        case .movedIn:
            version &+= 1
            endWriter()
            settlesAt = nil
            absentSince = nil
            due = now
        case .created:
            version &+= 1
            endWriter()
            absentSince = nil
            let end = now + times.settle
            settlesAt = end
            due = end
        case .gone(let channel):
            version &+= 1
            writers.remove(channel == .entry ? [.entry, .inode] : channel)
            if writers.isEmpty { endWriter() }
            noteAbsence(at: now)
        case .attributes:
            if writerSince == nil { lookNoLater(than: now + times.settle) }
        case .eventsLost:
            version &+= 1
            writes &+= 1
            endWriter()
            lookNoLater(than: now + times.settle)
        case .foundAnother:
            version &+= 1
            endWriter()
            absentSince = nil
            lookNoLater(than: now + times.settle)
        case .foundNone:
            version &+= 1
            noteAbsence(at: now)
        case .signatureChanged:
            guard writerSince == nil else { break }
            wasFoundByPoll = true
            lookNoLater(than: now + times.settle)
        }
        return event.movesPath
    }

    /// Whether a walk that was put off is wanted now.
    mutating func takeNeedsWalk() -> Bool {
        defer { needsWalk = false }
        return needsWalk
    }

    /// Another walk is wanted: the last one did not come to rest.
    mutating func walkAgain(at now: Instant) {
        needsWalk = true
        lookNoLater(than: now + times.settle)
    }

    /// Whether the consumer has to be told now; true once for each time it has to.
    mutating func takeDue(at now: Instant) -> Bool {
        guard let due, due <= now else { return false }
        self.due = nil
        return true
    }

    // MARK: Looks

    /// Begins a look, or nil when there is no point in it: a writer is at work, or a new entry has to settle.
    mutating func beginLook(at now: Instant) -> Look? {
        if let since = writerSince {
            guard now >= since + times.writer else {
                due = since + times.writer
                return nil
            }
            writerSince = nil
            isWriterOverdue = true
        }
        if let end = settlesAt {
            guard now >= end else {
                due = end
                return nil
            }
            settlesAt = nil
        }
        due = nil
        return Look(version: version, writes: writes)
    }

    /// Judges what a look found. When it counts, it is what later findings are compared with.
    ///
    /// `isCurrent` tells whether the path still led to the file that was read; `isLast` that the caller will not look
    /// again at once.
    mutating func judge(
        _ finding: Finding, signature: FileSignature?, isCurrent: Bool, of look: Look, isLast: Bool, at now: Instant
    ) -> Verdict {
        if writerSince != nil || settlesAt != nil { return .unsettled }
        let isTorn = finding == .changed || writes != look.writes
        if isTorn || version != look.version || !isCurrent {
            if !isLast { return .again }
            lookNoLater(than: now + times.settle)
            // A file replaced while it was read was read whole: with replacements without pause nothing else is had.
            guard !isTorn, finding == .content else { return .unsettled }
            settle(finding, signature)
            return .settled
        }
        if let end = holdEnd(for: finding, signature, at: now), now < end {
            lookNoLater(than: end)
            return .unsettled
        }
        // What is due by now was caused after the look had begun, such as by a change of the mode: it stays due.
        if finding == .shortage { lookNoLater(than: now + times.empty) }
        settle(finding, signature)
        return .settled
    }

    /// The caller has itself put this content there, or has settled on it.
    mutating func adopt(_ finding: Finding) { settle(finding, settled?.signature) }

    // MARK: Inside

    /// When a finding counts that may be the middle of an edit; nil when it counts at once.
    private mutating func holdEnd(for finding: Finding, _ signature: FileSignature?, at now: Instant) -> Instant? {
        if finding != .missing { absentSince = nil }
        if finding != .empty { emptySince = nil }
        if finding != .trouble && finding != .shortage { troubledSince = nil }
        // Also at the first look a file of no length may be one that a writer has just truncated.
        if settled?.finding != finding, finding == .empty {
            let since = emptySince ?? now
            emptySince = since
            return min(max(since, latestEvent ?? since) + times.empty, since + times.writer)
        }
        guard let settled else { return nil }
        if settled.finding != finding {
            switch finding {
            case .missing:
                let since = absentSince ?? now
                absentSince = since
                return since + times.missing
            case .trouble, .shortage:
                let since = troubledSince ?? now
                troubledSince = since
                return since + times.settle
            case .content, .empty, .changed: break
            }
        }
        guard wasFoundByPoll || !hasEvents, finding == .content, signature != settled.signature else { return nil }
        if let unconfirmed, unconfirmed.signature == signature {
            return min(unconfirmed.since + times.settle, unconfirmed.first + times.writer)
        }
        let first = unconfirmed?.first ?? now
        unconfirmed = (signature, now, first)
        return min(now + times.settle, first + times.writer)
    }

    private mutating func settle(_ finding: Finding, _ signature: FileSignature?) {
        settled = (finding, signature)
        isWriterOverdue = false
        writers = []
        absentSince = nil
        emptySince = nil
        troubledSince = nil
        unconfirmed = nil
        wasFoundByPoll = false
    }

    private mutating func endWriter() {
        writers = []
        writerSince = nil
        isWriterOverdue = false
    }

    private mutating func noteAbsence(at now: Instant) {
        guard settled?.finding != .missing else {
            lookNoLater(than: now + times.settle)
            return
        }
        let since = absentSince ?? now
        absentSince = since
        if writerSince == nil { lookNoLater(than: since + times.missing) }
    }

    private mutating func lookNoLater(than instant: Instant) { due = due.map { min($0, instant) } ?? instant }
}
