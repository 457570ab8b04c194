import Synchronization
import SystemCalls

/// Watches the file behind a path, whatever way it is edited, and reads it safely.
///
/// It says *when* to look, and gives whole bytes when one looks; what the bytes mean, and whether they are news, is
/// for the caller, who compares them with what it has. All watchers of a process share one inotify queue and one
/// thread.
///
/// The path is followed, not the file: each directory and each link on the way is watched, so that the file may be
/// replaced, moved away, made later, or reached through another link.
///
/// Thread safety: everything may be called from any thread. Reading blocks for the time of the I/O.
package final class FileWatcher: Sendable {
    /// The path that is watched, as given.
    package let path: String
    /// "Look again": one is due whenever a ``read()`` might give something else than the last settled reading.
    ///
    /// For one consumer. At most one waits, since a look sees everything that happened before it. Ends at ``stop()``,
    /// and then gives not even a signal that was waiting.
    package let signals: AsyncStream<Void>

    private let absolute: PathBytes
    private let options: Options
    private let mailbox = SignalMailbox()
    private let source: WatchHubSource
    private let hub: WatchHub
    private let watcher: WatchTable.Watcher
    private let isStopped = Atomic(false)

    /// Begins to watch `path`; a relative one is taken from the working directory of this moment.
    ///
    /// Watches are in place when it returns: what changes afterwards gives a signal. Never fails for the state of the
    /// file or of its directories; see ``mode``. Costs a few system calls for each directory of the path.
    package convenience init(path: String, options: Options = Options()) {
        self.init(path: path, options: options, source: .shared)
    }

    init(path: String, options: Options, source: WatchHubSource) {
        self.path = path
        self.options = options
        self.source = source
        absolute = PathBytes(absolute: path)
        signals = mailbox.signals
        hub = source.acquire()
        watcher = hub.update { [absolute, mailbox] state, now in
            state.attach(
                HubState.Subscription(path: absolute, options: options, mailbox: mailbox, now: now), at: now)
        }
    }

    deinit { stop() }

    /// Ends the watching and the stream of signals; nothing comes afterwards. From any thread, also while a signal is
    /// being handled, and more than once. With the last watcher of the process its thread has ended on return.
    package func stop() {
        guard !isStopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
        mailbox.finish()
        hub.update { [watcher] state, _ in state.detach(watcher) }
        source.release()
    }

    /// How changes are learnt of now. A signal is sent when that changes.
    package var mode: Mode { hub.update { [watcher] state, _ in state.subscriptions[watcher]?.mode } ?? .notified }

    /// Whether the file was replaced behind a mount of the file alone, as container runtimes make them: it has no name
    /// any more, and no edit can reach the path. As of the last reading or poll.
    package var isStaleMount: Bool {
        hub.update { [watcher] state, _ in state.subscriptions[watcher]?.seen?.signature?.linkCount } == 0
    }

    /// Reads the file as it stands, whole and from one moment, or says why there is nothing to be read.
    ///
    /// Blocks for the I/O alone, never for a writer: while one is at work, or while what was found may be the middle
    /// of an edit, it is ``FileReading/unsettled`` and a signal follows. After ``stop()`` it reads without waiting for
    /// anything.
    package func read() -> FileReading {
        // A file that is replaced again and again is whole each time: the last attempt takes it.
        for attempts in (0..<4).reversed() {
            let look = hub.update(walking: watcher) { [watcher] state, now in
                state.subscriptions[watcher]?.schedule.beginLook(at: now)
            }
            if look == nil && !isStopped.load(ordering: .acquiring) { return .unsettled }
            let attempt = ReadAttempt(path: absolute, limit: options.maximumSize)
            guard let look else { return attempt.reading }
            let verdict = hub.update { [watcher] state, now in
                state.judge(attempt, of: look, isLast: attempts == 0, for: watcher, at: now)
            }
            switch verdict {
            case .settled: return attempt.reading
            case .unsettled: return .unsettled
            case .again: continue
            }
        }
        return .unsettled
    }

    /// Reads the file once it has settled: for the opening, and before the file is replaced.
    ///
    /// Blocks the calling thread for as long as a writer is given (``GraceTimes``), never longer; so never call it on
    /// the cooperative pool. It is ``FileReading/unsettled`` only for a file that did not hold still in all that time.
    package func readSettled() -> FileReading {
        readSettled(within: options.times.longestWait) { isStopped.load(ordering: .acquiring) }
    }

    /// Tells that the file holds `content` now, since the caller has put it there or goes by it.
    ///
    /// It is what an empty or missing file is held against. It suppresses nothing: whether a reading is the caller's
    /// own write is seen by its bytes.
    package func adopt(_ content: [UInt8]) {
        hub.update { [watcher] state, _ in
            state.subscriptions[watcher]?.schedule.adopt(content.isEmpty ? .empty : .content)
        }
    }
}
