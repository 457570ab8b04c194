import Foundation

/// Settings in `UserDefaults`, in a suite of this process alone. Nothing of it is left on the disk.
struct PreferencesPeer {
    struct Unavailable: Error {}

    let defaults: UserDefaults
    private let suite = "rheostat-benchmarks-\(ProcessInfo.processInfo.processIdentifier)"

    init(_ values: [String: Int]) throws {
        guard let defaults = UserDefaults(suiteName: suite) else { throw Unavailable() }
        self.defaults = defaults
        for (name, value) in values { defaults.set(value, forKey: name) }
    }

    func remove() { defaults.removePersistentDomain(forName: suite) }
}
