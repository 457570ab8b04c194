package import SystemCalls

extension FileWatcher {
    /// How a file is watched and read.
    package struct Options: Sendable {
        /// Files of more bytes are not read.
        package var maximumSize = 64 << 20
        /// Whether events are used at all.
        package var polling = Polling.automatic
        /// How long what may be the middle of an edit is held.
        package var times = GraceTimes()
        /// How often is polled.
        package var intervals = Intervals()

        /// Options that differ from the usual ones in what is given; sizes are in bytes.
        package init(maximumSize: Int = 64 << 20, polling: Polling = .automatic, times: GraceTimes = GraceTimes()) {
            self.maximumSize = maximumSize
            self.polling = polling
            self.times = times
        }
    }

    /// Where changes are learnt from.
    package enum Polling: Hashable, Sendable {
        /// Events where the file system sends them, polling where it does not.
        case automatic
        /// Polling alone, at this interval.
        case forced(every: Duration)
    }

    /// How long a state that may be the middle of an edit is not believed. Tests shorten them.
    package struct GraceTimes: Hashable, Sendable {
        /// From the disappearance of the file until it counts as missing.
        package var missing = Duration.milliseconds(150)
        /// From the making of an entry, or a change of its attributes, until it is looked at.
        package var settle = Duration.milliseconds(50)
        /// What a writer is given to close the file, from its first write.
        package var writer = Duration.seconds(2)
        /// What a file of no length has to stay without events until it counts as empty.
        package var empty = Duration.milliseconds(500)

        /// The longest that a reading can be held off by one writer.
        var longestWait: Duration { writer + empty + missing + settle * 4 }

        /// The usual times.
        package init() {}
    }

    /// How often the file is looked at when nothing is heard of it.
    package struct Intervals: Hashable, Sendable {
        /// Where events are to be had: for what sends none, such as a store through a mapping that is kept.
        package var safety = Duration.seconds(10)
        /// Where the file system may keep silent.
        package var silent = Duration.seconds(1)
        /// Where events cannot be had at all.
        package var degraded = Duration.milliseconds(500)
        /// Between attempts to get events again.
        package var retry = Duration.seconds(30)

        /// The usual intervals.
        package init() {}
    }

    /// How a watcher learns of changes.
    package enum Mode: Hashable, Sendable {
        /// By events of the kernel; a slow poll runs beside them.
        case notified
        /// By polling, beside the events that come: nothing is wrong.
        case polling(PollingReason)
        /// By polling alone, since the kernel grants no watch: changes are seen late. Left when it grants one again.
        case degraded(SystemError)
    }

    /// Why a file is polled though nothing is wrong.
    package enum PollingReason: Hashable, Sendable {
        /// The options say so.
        case forced
        /// The file system, by its magic number, may keep silent about changes made elsewhere.
        case fileSystem(magic: UInt32)
        /// A directory of the path, or the file's own, must not be watched.
        case unwatchable(SystemError)
    }
}
