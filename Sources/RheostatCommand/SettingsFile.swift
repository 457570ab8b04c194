import Rheostat

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The file a call is about.
struct SettingsFile {
    /// The path as the caller gave it.
    let path: String

    /// Opens the file, which need not exist, to read or write it once.
    ///
    /// The store is not closed by those who only read or write once: what they wrote is durable when the call returns,
    /// and the process ends.
    func open() async throws -> SettingsStore { try await SettingsStore.open(.file(path, isWatched: false)) }

    /// Opens the file to follow it, whatever it holds or is.
    func follow() async throws -> SettingsStore { try await SettingsStore.open(.file(path), onInvalid: .useDefaults) }

    /// Throws exit status 3 if there is no file.
    func requireExistence() throws {
        // Sound: the string lives as long as the call.
        guard unsafe access(path, F_OK) != 0 else { return }
        let reason = errno
        throw Failure(.inputOutput, "\(path): \(StandardStreams.reason(reason))")
    }
}

extension Arguments {
    /// The first operand, which every verb but `help` takes as its file.
    var file: SettingsFile { SettingsFile(path: operands.first ?? "") }
}
