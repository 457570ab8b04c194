import Rheostat

/// A task that sets one key after the other without pause, each as a commit of its own.
final class Writer {
    private let settings: SettingsStore
    private let keys: [SettingKey<Int>]
    private var task: Task<Void, any Error>?

    init(_ settings: SettingsStore, _ keys: [SettingKey<Int>]) {
        self.settings = settings
        self.keys = keys
    }

    /// Begins, and returns when the first commit is made.
    func start() async throws {
        let (settings, keys) = (settings, keys)
        let revision = settings.revision
        task = Task.detached {
            var value = 0
            while !Task.isCancelled {
                value += 1
                try await settings.set(keys[value % keys.count], to: value)
            }
        }
        while settings.revision == revision { await Task.yield() }
    }

    /// Ends, and returns when the last commit is made.
    func stop() async throws {
        task?.cancel()
        do { try await task?.value } catch is CancellationError {}
        task = nil
    }
}
