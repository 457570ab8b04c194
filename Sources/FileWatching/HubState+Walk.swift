import SystemCalls

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension HubState {
    /// Walks the path of `watcher`, or its last step, and puts the watches where it leads: watch, then walk again, until
    /// two walks agree. What changes after that makes events.
    ///
    /// `unannounced` says that no event was the cause, so that another file than before is news.
    mutating func walk(
        _ watcher: Watcher, _ extent: Extent = .path, unannounced: Bool = false, at now: Instant
    ) {
        if extent == .lastStep, walkLastStep(watcher) { return }
        guard let subscription = subscriptions[watcher] else { return }
        var walk = PathWalk(subscription.path)
        var arming = Arming()
        var isAtRest = false
        for _ in 0..<8 where !isAtRest {
            arming = arm(walk, subscription.options)
            for holding in arming.holdings { table.insert(holding, of: watcher) }
            subscriptions[watcher]?.holdings.formUnion(arming.holdings)
            let again = PathWalk(subscription.path)
            isAtRest = again.isSameWay(as: walk)
            walk = again
        }
        let stale = (subscriptions[watcher]?.holdings ?? []).subtracting(arming.holdings)
        subscriptions[watcher]?.holdings = arming.holdings
        release(stale, of: watcher)
        subscriptions[watcher]?.file = walk.file
        subscriptions[watcher]?.entry = walk.entry
        setMode(of: watcher, mode(of: walk, arming, subscription.options), at: now)
        if !isAtRest { walkAgainLater(watcher, at: now) }
        if unannounced, walk.file != subscription.file {
            note(walk.file == nil ? .foundNone : .foundAnother, for: watcher, at: now)
        }
        touch(watcher)
    }

    /// Watches the file that now bears the file's own name, for what was announced is a change of that alone: by far
    /// the most frequent case, and a tenth of the work. False when it needs a whole walk after all.
    private mutating func walkLastStep(_ watcher: Watcher) -> Bool {
        guard let queue, let subscription = subscriptions[watcher], let entry = subscription.entry,
            subscription.schedule.hasEvents
        else { return false }
        let found = try? FileSignature(ofEntry: entry)
        if found?.isLink == true { return false }
        var current: WatchTable.Holding?
        if found != nil {
            do throws(SystemError) {
                current = WatchTable.Holding(watch: try queue.add(entry, InotifyMask.file), interest: .inode)
            } catch {
                // Gone again: its directory has told so by now. Anything else is for the whole walk to judge.
                if error.code != ENOENT { return false }
            }
        }
        let stale = subscription.holdings.filter { $0.interest == .inode && $0 != current }
        if let current, subscriptions[watcher]?.holdings.insert(current).inserted == true {
            table.insert(current, of: watcher)
        }
        subscriptions[watcher]?.holdings.subtract(stale)
        release(stale, of: watcher)
        subscriptions[watcher]?.file = found?.identity
        return true
    }

    fileprivate struct Arming {
        var holdings: Set<WatchTable.Holding> = []
        /// The kernel has no more watches, or none at all.
        var refusal: SystemError?
        /// A directory that may not be watched.
        var hidden: SystemError?
    }

    private func arm(_ walk: PathWalk, _ options: FileWatcher.Options) -> Arming {
        var arming = Arming()
        if case .forced = options.polling { return arming }
        guard let queue else {
            arming.refusal = queueFailure
            return arming
        }
        for (index, step) in walk.steps.enumerated() {
            let isFile = walk.reachesFile && index == walk.steps.count - 1
            do throws(SystemError) {
                let mask = isFile ? InotifyMask.parent : InotifyMask.directory
                let watch = try queue.add(step.directory, mask)
                let interest = isFile ? WatchTable.Interest.file(name: step.name) : .entry(name: step.name)
                arming.holdings.insert(WatchTable.Holding(watch: watch, interest: interest))
            } catch {
                arming.note(error)
            }
        }
        if walk.file != nil {
            do throws(SystemError) {
                let watch = try queue.add(walk.deepest, InotifyMask.file)
                arming.holdings.insert(WatchTable.Holding(watch: watch, interest: .inode))
            } catch {
                // A file that must not be read must not be watched either; its directory tells when that changes.
                if error.code != EACCES { arming.note(error) }
            }
        }
        return arming
    }

    private func mode(
        of walk: PathWalk, _ arming: Arming, _ options: FileWatcher.Options
    ) -> FileWatcher.Mode {
        if case .forced = options.polling { return .polling(.forced) }
        if let failure = threadFailure ?? arming.refusal { return .degraded(failure) }
        if let failure = arming.hidden { return .polling(.unwatchable(failure)) }
        if let magic = SilentFileSystem.magic(at: walk.deepest) { return .polling(.fileSystem(magic: magic)) }
        return .notified
    }

    private mutating func setMode(of watcher: Watcher, _ mode: FileWatcher.Mode, at now: Instant) {
        guard let subscription = subscriptions[watcher] else { return }
        if case .degraded = mode { retryNoLater(than: now + subscription.options.intervals.retry) }
        subscriptions[watcher]?.schedule.hasEvents =
            switch mode {
            case .notified, .polling(.fileSystem), .polling(.unwatchable): true
            case .degraded, .polling(.forced): false
            }
        guard mode != subscription.mode || subscription.seen == nil else { return }
        subscriptions[watcher]?.mode = mode
        if let interval = subscriptions[watcher]?.pollInterval { subscriptions[watcher]?.nextPoll = now + interval }
        if mode != subscription.mode, subscription.seen != nil { post(to: watcher) }
    }
}

extension HubState.Arming {
    fileprivate mutating func note(_ error: SystemError) {
        switch error.code {
        // Gone since the walk: the next walk finds out.
        case ENOENT, ENOTDIR, ELOOP: break
        case ENOSPC, ENOMEM, ENOSYS, EMFILE, ENFILE: refusal = refusal ?? error
        default: hidden = hidden ?? error
        }
    }
}
