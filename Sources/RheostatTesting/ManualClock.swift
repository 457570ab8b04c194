/// A clock that stands still until a test moves it.
///
/// ```swift
/// let clock = ManualClock()
/// let task = Task { try await clock.sleep(for: .seconds(5)); … }
/// try await clock.waitForSleepers()
/// clock.advance(by: .seconds(5))
/// ```
///
/// Thread safety: everything may be called from any thread and task.
public final class ManualClock: Clock, Sendable, CustomStringConvertible {
    /// A time on a ``ManualClock``, counted from when the clock was made.
    public struct Instant: InstantProtocol, CustomStringConvertible {
        /// How long after the clock was made.
        public let offset: Duration

        /// The time `offset` after a clock was made.
        public init(offset: Duration = .zero) { self.offset = offset }

        /// The time `duration` later.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        /// How long it is until `other`.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Whether `left` is before `right`.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }

        /// The offset.
        public var description: String { "\(offset)" }
    }

    private struct Sleeper: Sendable {
        let number: Int
        let deadline: Instant
        let waiter: CheckedContinuation<Void, any Error>
    }

    private struct State: Sendable {
        var now: Instant
        /// By deadline; those of one deadline in the order in which they came.
        var sleepers: [Sleeper] = []
        var lastNumber = 0
        /// Cancelled before they lay down.
        var cancelled: Set<Int> = []
    }

    private let state: Watched<State>

    /// Makes a clock that shows `now`.
    public init(now: Instant = Instant()) { state = Watched(State(now: now)) }

    /// The time.
    public var now: Instant { state.value.now }

    /// Zero: every duration counts.
    public var minimumResolution: Duration { .zero }

    /// How many sleep now.
    public var sleeperCount: Int { state.value.sleepers.count }

    /// When the first of those who sleep now wakes; `nil` when nobody sleeps.
    public var nextDeadline: Instant? { state.value.sleepers.first?.deadline }

    /// Moves the clock forward and wakes those whose time has come: the earliest first, those of one time in the order in
    /// which they went to sleep.
    ///
    /// It does not wait for what they then do. One who goes to sleep again counts from the time that the clock then shows;
    /// to follow a loop step by step, advance step by step, with ``waitForSleepers(count:within:)`` in between.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "a clock does not go backwards")
        wake { $0.now.advanced(by: duration) }
    }

    /// Moves the clock forward to `instant`, as ``advance(by:)`` does. A time that is past does nothing.
    public func advance(to instant: Instant) { wake { max($0.now, instant) } }

    /// Moves the clock forward to when the first sleeper wakes; does nothing when nobody sleeps.
    public func advanceToNextDeadline() { wake { $0.sleepers.first.map { $0.deadline } ?? $0.now } }

    private func wake(_ target: (State) -> Instant) {
        let woken = state.update { state in
            state.now = target(state)
            let woken = Array(state.sleepers.prefix { $0.deadline <= state.now })
            state.sleepers.removeFirst(woken.count)
            return woken
        }
        for sleeper in woken { sleeper.waiter.resume() }
    }

    /// Sleeps until the clock shows `deadline`; not at all if it does already.
    ///
    /// - Parameters:
    ///   - deadline: when to wake.
    ///   - tolerance: of no meaning here; the wake-up is exact.
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let number = state.update { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        defer { state.update { _ = $0.cancelled.remove(number) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (waiter: CheckedContinuation<Void, any Error>) in
                let now: Result<Void, any Error>? = state.update { state in
                    if state.cancelled.contains(number) { return .failure(CancellationError()) }
                    guard deadline > state.now else { return .success(()) }
                    let place = state.sleepers.firstIndex { $0.deadline > deadline } ?? state.sleepers.count
                    state.sleepers.insert(Sleeper(number: number, deadline: deadline, waiter: waiter), at: place)
                    return nil
                }
                if let now { waiter.resume(with: now) }
            }
        } onCancel: {
            let waiter = state.update { state -> CheckedContinuation<Void, any Error>? in
                guard let place = state.sleepers.firstIndex(where: { $0.number == number }) else {
                    state.cancelled.insert(number)
                    return nil
                }
                return state.sleepers.remove(at: place).waiter
            }
            waiter?.resume(throwing: CancellationError())
        }
    }

    /// Waits, in real time, until at least `count` sleep on this clock.
    ///
    /// - Throws: ``WaitTimeout`` when they do not within `limit`; `CancellationError`.
    public func waitForSleepers(count: Int = 1, within limit: Duration = .seconds(20)) async throws {
        try await state.wait(within: limit) {
            $0.sleepers.count >= count
        } complaint: {
            "expected \(count) to sleep on the manual clock, \($0.sleepers.count) do"
        }
    }

    /// The time, and how many sleep.
    public var description: String {
        let state = state.value
        return "manual clock at \(state.now) (\(state.sleepers.count) sleep)"
    }
}
