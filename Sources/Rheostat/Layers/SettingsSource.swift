/// Where a store's settings are.
public struct SettingsSource: Sendable {
    private let make: @Sendable (_ hasSecrets: Bool) throws -> any SettingsBackend

    /// A file of JSON with comments and trailing commas.
    ///
    /// It need not exist, and neither does its directory. Symbolic links are followed and stay links.
    ///
    /// - Parameters:
    ///   - path: the path; a relative one counts from the working directory at the time of opening.
    ///   - isWatched: whether edits of others are followed. Without it the store sees them when it writes and at
    ///     ``SettingsStore/reload()`` only. That spares a program that looks once and ends the 5 to 30 ms that the
    ///     system takes to end a watch.
    ///   - maximumSize: a larger file is refused; in bytes.
    ///   - lockTimeout: how long a write waits for other processes that write the same file.
    public static func file(
        _ path: String, isWatched: Bool = true, maximumSize: Int = 64 << 20, lockTimeout: Duration = .seconds(10)
    ) -> SettingsSource {
        SettingsSource { hasSecrets in
            try FileBackend(
                path: path, isWatched: isWatched, maximumSize: maximumSize, lockTimeout: lockTimeout,
                hasSecrets: hasSecrets)
        }
    }

    /// A backend of another kind. It is used by one store at a time.
    public static func backend(_ backend: any SettingsBackend) -> SettingsSource {
        SettingsSource { _ in backend }
    }

    func makeBackend(hasSecrets: Bool) throws -> any SettingsBackend { try make(hasSecrets) }
}
