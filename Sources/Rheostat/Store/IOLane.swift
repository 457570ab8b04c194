import Dispatch

/// The executor on which a store does its input and output: a thread of its own while there is work, so that blocking
/// calls (`fsync`, `flock`) never hold up the cooperative pool.
final class IOLane: SerialExecutor {
    private let queue = DispatchQueue(label: "rheostat.lane", qos: .userInitiated)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
