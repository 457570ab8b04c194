import Dispatch

/// A place in the course of a program where a test can hold it.
///
/// Open, it lets everybody through and counts them. Closed, it holds whoever comes, so that the test can look at the
/// world at this very point, or do something else first. It never sleeps and never polls.
///
/// ```swift
/// let gate = Gate("before the write")
/// gate.close()
/// let write = Task { await gate.pass(); … }
/// try await gate.waitUntilReached()
/// …                                       // the write is held
/// gate.open()
/// ```
///
/// Those who are held stay so until the gate is opened: see to it on every path, as ``whileClosed(_:)`` does.
///
/// Thread safety: everything may be called from any thread and task.
public final class Gate: Sendable, CustomStringConvertible {
    private enum Held: Sendable {
        case task(CheckedContinuation<Void, Never>)
        case thread(DispatchSemaphore)

        func release() {
            switch self {
            case .task(let waiter): waiter.resume()
            case .thread(let semaphore): semaphore.signal()
            }
        }
    }

    private struct State: Sendable {
        var isClosed: Bool
        var held: [Held] = []
        var arrivals = 0
        var passes = 0
    }

    /// What the gate is called in messages.
    public let name: String
    private let state: Watched<State>

    /// Makes a gate.
    ///
    /// - Parameters:
    ///   - name: what it is called in messages.
    ///   - isClosed: whether it holds the first who comes.
    public init(_ name: String = "gate", isClosed: Bool = false) {
        self.name = name
        state = Watched(State(isClosed: isClosed))
    }

    // MARK: For the test

    /// Holds whoever comes from now on.
    public func close() { state.update { $0.isClosed = true } }

    /// Lets those who are held go on, in the order in which they came, and everybody who comes from now on.
    public func open() { release { $0.isClosed = false } }

    /// Lets the first `count` of those who are held go on. The gate stays closed, and holds the next who comes.
    public func letThrough(_ count: Int = 1) { release(at: count) { _ in } }

    private func release(at most: Int = .max, _ change: (inout State) -> Void) {
        let released = state.update { state in
            change(&state)
            let released = Array(state.held.prefix(max(0, most)))
            state.held.removeFirst(released.count)
            state.passes += released.count
            return released
        }
        for held in released { held.release() }
    }

    /// Closes the gate, runs `body`, and opens it again on every path.
    public func whileClosed<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        close()
        defer { open() }
        return try await body()
    }

    /// Waits until `count` are held here at one time.
    ///
    /// - Throws: ``WaitTimeout`` when they are not within `limit`; `CancellationError`.
    public func waitUntilReached(by count: Int = 1, within limit: Duration = .seconds(20)) async throws {
        let name = name
        try await state.wait(within: limit) {
            $0.held.count >= count
        } complaint: {
            "\(name): expected \(count) to be held, \($0.held.count) are (\($0.passes) passed)"
        }
    }

    /// Waits until `count` have passed since the gate was made.
    ///
    /// - Throws: ``WaitTimeout`` when they have not within `limit`; `CancellationError`.
    public func waitForPasses(_ count: Int, within limit: Duration = .seconds(20)) async throws {
        let name = name
        try await state.wait(within: limit) {
            $0.passes >= count
        } complaint: {
            "\(name): expected \(count) to pass, \($0.passes) did (\($0.held.count) are held)"
        }
    }

    /// Whether it holds who comes.
    public var isClosed: Bool { state.value.isClosed }

    /// How many are held now.
    public var heldCount: Int { state.value.held.count }

    /// How many came, since the gate was made: those who passed and those who are held.
    public var arrivals: Int { state.value.arrivals }

    /// How many passed, since the gate was made.
    public var passes: Int { state.value.passes }

    // MARK: For the code under test

    /// Goes through, or suspends the task until the gate lets it.
    ///
    /// A task that is cancelled while it is held stays held: what comes of the cancellation at this point is for the test
    /// to see.
    public func pass() async {
        await withCheckedContinuation { waiter in
            if !arrive(.task(waiter)) { waiter.resume() }
        }
    }

    /// Goes through, or blocks the thread until the gate lets it.
    ///
    /// For synchronous code on a thread of its own, such as what a store runs inside a commit. Never on the cooperative
    /// pool, whose threads are few.
    public func passBlocking() {
        let semaphore = DispatchSemaphore(value: 0)
        guard arrive(.thread(semaphore)) else { return }
        semaphore.wait()
        // Orders what follows after what was done before the gate was opened, also for Thread Sanitizer.
        _ = state.value
    }

    /// Counts an arrival; `true` when it is held.
    private func arrive(_ comer: Held) -> Bool {
        state.update { state in
            state.arrivals += 1
            guard state.isClosed else {
                state.passes += 1
                return false
            }
            state.held.append(comer)
            return true
        }
    }

    /// The name, and how the gate stands.
    public var description: String {
        let state = state.value
        return "\(name) (\(state.isClosed ? "closed" : "open"), \(state.held.count) held, \(state.passes) passed)"
    }
}
