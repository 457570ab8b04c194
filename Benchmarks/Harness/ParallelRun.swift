import Foundation
import Synchronization

/// One piece of work done by several threads at the same time.
///
/// What counts is the wall time of the slowest thread, without the time it was ready and another program had the
/// processor: waiting for a lock counts, a busy machine does not.
final class ParallelRun: @unchecked Sendable {
    // Sound: `times` is written by each thread in its own element and read after all have ended.

    private let threads: Int
    private let work: @Sendable () -> Void
    private let ready = Atomic<Int>(0)
    private let times: UnsafeMutablePointer<Double>

    init(threads: Int, _ work: @escaping @Sendable () -> Void) {
        self.threads = threads
        self.work = work
        times = .allocate(capacity: threads)
        times.initialize(repeating: 0, count: threads)
    }

    deinit { times.deallocate() }

    /// Runs it and gives the seconds.
    func seconds() -> Double {
        let ended = DispatchSemaphore(value: 0)
        for index in 0..<threads {
            Thread.detachNewThread { [self] in
                // Threads begin together, so that they are in each other's way from the start.
                ready.add(1, ordering: .acquiringAndReleasing)
                while ready.load(ordering: .acquiring) < threads { sched_yield() }
                let queued = ThreadClock.queued
                let start = ThreadClock.wall
                work()
                let wall = ThreadClock.wall - start
                times[index] = wall - min(wall, ThreadClock.queued - queued)
                ended.signal()
            }
        }
        for _ in 0..<threads { ended.wait() }
        return (0..<threads).map { times[$0] }.max() ?? 0
    }
}
