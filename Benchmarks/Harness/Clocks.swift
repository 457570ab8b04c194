import Foundation

/// The times a thread can tell of itself, in seconds.
enum ThreadClock {
    /// What the calling thread has used of a processor: other programs on a shared machine do not count.
    static var cpu: Double { seconds(CLOCK_THREAD_CPUTIME_ID) }

    /// The time of day's pace, for what waits or runs on several threads.
    static var wall: Double { seconds(CLOCK_MONOTONIC) }

    /// How long the calling thread was ready to run and had no processor, from the scheduler's own books; 0 where the
    /// system does not keep them.
    static var queued: Double {
        #if os(Linux)
            guard let text = try? String(contentsOfFile: "/proc/thread-self/schedstat", encoding: .utf8),
                let nanoseconds = text.split(separator: " ").dropFirst().first.flatMap({ Double($0) })
            else { return 0 }
            return nanoseconds / 1e9
        #else
            return 0
        #endif
    }

    private static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        // It cannot fail: both clocks exist, and the address is valid.
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
