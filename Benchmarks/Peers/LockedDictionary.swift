import Synchronization

/// Settings in a dictionary behind a `Mutex`.
final class LockedDictionary: Sendable {
    private let values: Mutex<[String: Int]>

    init(_ values: [String: Int]) { self.values = Mutex(values) }

    func value(_ name: String) -> Int { values.withLock { $0[name] ?? 0 } }
}
