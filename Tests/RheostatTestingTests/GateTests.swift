import Dispatch
import RheostatTesting
import TestSupport
import Testing

@Suite struct GateTests {
    @Test func `an open gate lets everybody through and counts them`() async throws {
        let gate = Gate("here")
        await gate.pass()
        Thread.run { gate.passBlocking() }
        try await gate.waitForPasses(2)
        #expect(gate.passes == 2 && gate.arrivals == 2 && gate.heldCount == 0 && !gate.isClosed)
        #expect(gate.description == "here (open, 0 held, 2 passed)")
    }

    @Test func `a closed gate holds tasks and threads until it is opened`() async throws {
        let gate = Gate("here", isClosed: true)
        let task = Task { await gate.pass() }
        try await gate.waitUntilReached()
        Thread.run { gate.passBlocking() }
        try await gate.waitUntilReached(by: 2)
        #expect(gate.passes == 0 && gate.arrivals == 2)
        #expect(gate.description == "here (closed, 2 held, 0 passed)")
        gate.open()
        await task.value
        try await gate.waitForPasses(2)
        await gate.pass()
        #expect(gate.passes == 3 && gate.heldCount == 0)
    }

    @Test func `what was done before a gate is opened is seen behind it`() async throws {
        let gate = Gate(isClosed: true)
        let (seen, box) = (Locked(0), Locked(0))
        Thread.run {
            gate.passBlocking()
            seen.withLock { $0 = box.value }
        }
        try await gate.waitUntilReached()
        box.withLock { $0 = 7 }
        gate.open()
        try await eventually { seen.value == 7 }
    }

    @Test func `those who are held can be let through one by one, in their order`() async throws {
        let gate = Gate(isClosed: true)
        let order = Locked<[Int]>([])
        var tasks: [Task<Void, Never>] = []
        for number in 1...3 {
            tasks.append(
                Task {
                    await gate.pass()
                    order.withLock { $0.append(number) }
                })
            try await gate.waitUntilReached(by: number)
        }
        for (index, task) in tasks.enumerated() {
            gate.letThrough()
            await task.value
            #expect(gate.passes == index + 1 && gate.heldCount == 2 - index && gate.isClosed)
        }
        #expect(order.value == [1, 2, 3])
        gate.letThrough()
        gate.letThrough(-1)
        #expect(gate.passes == 3)
    }

    @Test func `a gate that is never reached throws by its deadline, and says how it stands`() async throws {
        let gate = Gate("before the write", isClosed: true)
        let limit = Duration.milliseconds(20)
        let reached = await #expect(throws: WaitTimeout.self) { try await gate.waitUntilReached(within: limit) }
        #expect(
            reached?.description
                == "before the write: expected 1 to be held, 0 are (0 passed) within \(limit)")
        #expect(reached?.limit == limit)
        gate.open()
        await gate.pass()
        let passed = await #expect(throws: WaitTimeout.self) { try await gate.waitForPasses(2, within: limit) }
        #expect(
            passed?.description == "before the write: expected 2 to pass, 1 did (0 are held) within \(limit)")
    }

    @Test func `waiting at a gate can be cancelled, being held cannot`() async throws {
        let gate = Gate(isClosed: true)
        let waiting = Task { try await gate.waitForPasses(1) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await gate.waitForPasses(1)
        }
        await #expect(throws: CancellationError.self) { try await early.value }
        let held = Task { await gate.pass() }
        try await gate.waitUntilReached()
        held.cancel()
        #expect(gate.heldCount == 1)
        gate.open()
        await held.value
    }

    @Test func `a gate that is closed for a while is opened on every path`() async throws {
        struct Wrong: Error {}
        let gate = Gate()
        await #expect(throws: Wrong.self) {
            try await gate.whileClosed {
                #expect(gate.isClosed)
                throw Wrong()
            }
        }
        #expect(!gate.isClosed)
        let task = try await gate.whileClosed {
            let task = Task { await gate.pass() }
            try await gate.waitUntilReached()
            return task
        }
        await task.value
    }

    @Test func `many who come and one who opens and closes lose nobody`() async throws {
        let gate = Gate()
        let comers = 500
        await withTaskGroup { group in
            group.addTask {
                for _ in 0..<200 {
                    gate.close()
                    await Task.yield()
                    gate.open()
                }
            }
            for _ in 0..<comers { group.addTask { await gate.pass() } }
        }
        #expect(gate.passes == comers && gate.arrivals == comers && gate.heldCount == 0)
    }
}

/// A thread that may be blocked.
enum Thread {
    static func run(_ body: @escaping @Sendable () -> Void) {
        DispatchQueue(label: "test").async { body() }
    }
}
