/// One line of a table: an operation, how it is timed and what it must reach.
struct Row {
    /// `subject_scenario`, as `--filter` takes it.
    let name: String
    /// What a reader sees.
    let title: String
    /// How a time becomes the figure that is shown.
    var unit = Unit.time
    /// What the operation must reach. Without one the row is a baseline, or there for information.
    var targets: [Target] = []
    let operation: Operation

    init(
        _ name: String, _ title: String, unit: Unit = .time, targets: [Target] = [], _ operation: Operation
    ) {
        self.name = name
        self.title = title
        self.unit = unit
        self.targets = targets
        self.operation = operation
    }

    enum Unit {
        /// The time of one operation.
        case time
        /// Megabytes a second, when one operation works on this many bytes.
        case megabytesPerSecond(bytes: Int)
    }

    /// What is timed.
    struct Operation {
        /// Whether processor time counts, or wall time.
        let clock: Clock
        /// Done before each sample, outside of the time.
        var before: () async throws -> Void = {}
        /// Runs the operation that many times and gives the seconds for one.
        let sample: (_ count: Int) async throws -> Double
        /// Done after each sample, outside of the time.
        var after: () async throws -> Void = {}
        /// Counts are multiples of this: the operations that one pass of the body makes.
        var granularity = 1

        enum Clock: String {
            case cpu = "CPU"
            case wall = "wall"
        }
    }
}

/// A ratio that a row must keep within one run.
struct Target {
    /// What `--check` allows above the limit: machines are shared.
    static let slack = 1.3

    enum Bound {
        /// It may take this many times the baseline's time.
        case atMost(Double)
        /// It must be this many times as fast as the baseline.
        case atLeast(Double)
    }

    let bound: Bound
    /// The name of the row to compare with, of the same group.
    let baseline: String
    /// The baseline in a word or two, for the table.
    let label: String

    static func atMost(_ limit: Double, of baseline: String, _ label: String) -> Target {
        Target(bound: .atMost(limit), baseline: baseline, label: label)
    }

    static func atLeast(_ limit: Double, times baseline: String, _ label: String) -> Target {
        Target(bound: .atLeast(limit), baseline: baseline, label: label)
    }
}

extension Row.Operation {
    /// Work on the calling thread, timed by the processor time of that thread. `body` makes `operations` operations each
    /// time it is called with a pass.
    static func loop(operations: Int, _ body: @escaping (_ passes: Int) -> Void) -> Row.Operation {
        Row.Operation(
            clock: .cpu,
            sample: { count in
                let start = ThreadClock.cpu
                body(count / operations)
                return (ThreadClock.cpu - start) / Double(count)
            },
            granularity: operations)
    }

    /// The same work on `threads` threads at once. See ``ParallelRun``.
    static func parallel(
        threads: Int, operations: Int, _ body: @escaping @Sendable (_ passes: Int) -> Void
    ) -> Row.Operation {
        Row.Operation(
            clock: .wall,
            sample: { count in
                let run = ParallelRun(threads: threads) { body(count / operations) }
                return run.seconds() / Double(count * threads)
            },
            granularity: operations)
    }

    /// Awaited work, off the main thread, timed by the clock on the wall, since it wanders between threads.
    static func awaited(_ body: @escaping @Sendable (_ count: Int) async throws -> Void) -> Row.Operation {
        Row.Operation(
            clock: .wall,
            sample: { count in
                try await Task.detached {
                    let start = ThreadClock.wall
                    try await body(count)
                    return (ThreadClock.wall - start) / Double(count)
                }.value
            })
    }
}
