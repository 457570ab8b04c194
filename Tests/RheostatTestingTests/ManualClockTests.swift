import RheostatTesting
import TestSupport
import Testing

@Suite struct ManualClockTests {
    let clock = ManualClock()

    @Test func `it stands still until it is moved`() {
        let start = clock.now
        #expect(start.offset == .zero && clock.sleeperCount == 0 && clock.nextDeadline == nil)
        clock.advance(by: .seconds(3))
        clock.advance(by: .zero)
        #expect(start.duration(to: clock.now) == .seconds(3))
        clock.advance(to: start)
        #expect(clock.now == start.advanced(by: .seconds(3)))
        #expect(clock.measure { clock.advance(by: .milliseconds(5)) } == .milliseconds(5))
        #expect(ManualClock(now: ManualClock.Instant(offset: .seconds(9))).now > clock.now)
    }

    @Test func `a sleeper wakes when its time has come and not before`() async throws {
        let woken = Locked(false)
        let task = Task { [clock] in
            try await clock.sleep(for: .seconds(5))
            woken.withLock { $0 = true }
        }
        try await clock.waitForSleepers()
        #expect(clock.nextDeadline?.offset == .seconds(5))
        clock.advance(by: .milliseconds(4999))
        #expect(!woken.value && clock.sleeperCount == 1)
        clock.advance(by: .milliseconds(1))
        try #require(clock.sleeperCount == 0)
        try await task.value
        #expect(woken.value)
    }

    @Test func `sleepers wake the earliest first, and those of one time in the order in which they came`() async throws
    {
        let order = Locked<[Int]>([])
        let actor = Recorder(order)
        var tasks: [Task<Void, any Error>] = []
        for (number, seconds) in [3, 1, 2, 1, 3].enumerated() {
            tasks.append(Task { [clock] in try await actor.sleep(seconds, number, on: clock) })
            try await clock.waitForSleepers(count: number + 1)
        }
        for expected in [[1, 3], [1, 3, 2], [1, 3, 2, 0, 4]] {
            clock.advanceToNextDeadline()
            try await eventually { order.value == expected }
        }
        #expect(clock.now.offset == .seconds(3))
        for task in tasks { try await task.value }
        clock.advanceToNextDeadline()
        #expect(clock.now.offset == .seconds(3))
    }

    /// Its executor keeps the order in which sleepers are woken.
    private actor Recorder {
        private let order: Locked<[Int]>

        init(_ order: Locked<[Int]>) { self.order = order }

        func sleep(_ seconds: Int, _ number: Int, on clock: ManualClock) async throws {
            try await clock.sleep(until: ManualClock.Instant(offset: .seconds(seconds)))
            order.withLock { $0.append(number) }
        }
    }

    @Test func `a time that is past is no sleep`() async throws {
        clock.advance(by: .seconds(1))
        try await clock.sleep(until: ManualClock.Instant(offset: .seconds(1)))
        try await clock.sleep(for: .zero)
        try await clock.sleep(for: .seconds(-1))
    }

    @Test func `a sleeper that is cancelled wakes at once and throws`() async throws {
        let task = Task { [clock] in try await clock.sleep(for: .seconds(5)) }
        let other = Task { [clock] in try await clock.sleep(for: .seconds(5)) }
        try await clock.waitForSleepers(count: 2)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleeperCount == 1)
        let early = Task { [clock] in
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(5))
        }
        await #expect(throws: CancellationError.self) { try await early.value }
        clock.advance(by: .seconds(5))
        try await other.value
    }

    @Test func `a loop that sleeps is followed step by step`() async throws {
        let rounds = Locked(0)
        let task = Task { [clock] in
            while true {
                try await clock.sleep(for: .seconds(1))
                rounds.withLock { $0 += 1 }
            }
        }
        for round in 1...20 {
            try await clock.waitForSleepers()
            #expect(rounds.value == round - 1)
            clock.advance(by: .seconds(1))
        }
        try await clock.waitForSleepers()
        #expect(rounds.value == 20)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `waiting for sleepers that never come throws by its deadline`() async throws {
        let limit = Duration.milliseconds(20)
        let timeout = await #expect(throws: WaitTimeout.self) {
            try await clock.waitForSleepers(count: 2, within: limit)
        }
        #expect(timeout?.description == "expected 2 to sleep on the manual clock, 0 do within \(limit)")
    }
}
