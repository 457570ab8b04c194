import Locking
import SystemCalls

/// Reads a file by the rules of a ``FileWatcher``, without watching it: no thread, no inotify queue.
///
/// For programs that look once and end. To end an inotify queue the kernel waits for a grace period, so beginning and
/// ending to watch costs 5 to 30 ms; this costs the reading alone. What it lacks are the events: of a writer who is at
/// work in place it knows only by what changes during a reading.
package final class UnwatchedFile: FileReader {
    private let path: PathBytes
    private let options: FileWatcher.Options
    private let schedule: Lock<LookSchedule>

    /// Opens nothing yet. A relative path is taken from the working directory of this moment.
    package init(path: String, options: FileWatcher.Options = FileWatcher.Options()) {
        self.path = PathBytes(absolute: path)
        self.options = options
        schedule = Lock(LookSchedule(times: options.times))
    }

    /// See ``FileReader/read()``. An unsettled reading is followed by no signal: read again, or ``readSettled()``.
    package func read() -> FileReading {
        for attempts in (0..<4).reversed() {
            guard let look = schedule.withLock({ $0.beginLook(at: .now) }) else { return .unsettled }
            let attempt = ReadAttempt(path: path, limit: options.maximumSize)
            let verdict = schedule.withLock { schedule in
                schedule.judge(
                    attempt.finding, signature: attempt.signature, isCurrent: attempt.isCurrent, of: look,
                    isLast: attempts == 0, at: .now)
            }
            switch verdict {
            case .settled: return attempt.reading
            case .unsettled: return .unsettled
            case .again: continue
            }
        }
        return .unsettled
    }

    /// See ``FileReader/readSettled()``.
    package func readSettled() -> FileReading {
        readSettled(within: options.times.longestWait)
    }

    /// See ``FileReader/adopt(_:)``.
    package func adopt(_ content: [UInt8]) {
        schedule.withLock { $0.adopt(content.isEmpty ? .empty : .content) }
    }
}
