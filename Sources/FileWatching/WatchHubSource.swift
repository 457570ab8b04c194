import Locking

/// Makes the hub with the first watcher and ends it with the last.
final class WatchHubSource: Sendable {
    /// That of the process.
    static let shared = WatchHubSource(calls: InotifyCalls())

    private struct Current: Sendable {
        var hub: WatchHub?
        var users = 0
    }

    private let current = Lock(Current())
    private let calls: InotifyCalls

    /// Tests make their own, with calls that fail.
    init(calls: InotifyCalls) { self.calls = calls }

    func acquire() -> WatchHub {
        current.withLock { current in
            let hub = current.hub ?? WatchHub(calls: calls)
            current.hub = hub
            current.users += 1
            return hub
        }
    }

    /// Gives back what ``acquire()`` gave; returns when no thread and no descriptor is left that is not in use.
    func release() {
        let unused = current.withLock { current -> WatchHub? in
            current.users -= 1
            guard current.users == 0 else { return nil }
            defer { current.hub = nil }
            return current.hub
        }
        unused?.end()
    }
}
