import Rheostat
import Testing

/// A caller on the main actor stays there after each call that it awaits.
@Suite struct MainActorTests {
    @MainActor @Test func `each awaited call returns to the main actor`() async throws {
        let settings = try await SettingsStore.inMemory(keys: [.port, .ready])
        MainActor.preconditionIsolated("inMemory")
        let other = try await SettingsStore.open(.backend(MemoryBackend()), keys: [.port])
        MainActor.preconditionIsolated("open")
        try await settings.set(.port, to: 1)
        MainActor.preconditionIsolated("set")
        try await settings.update { $0[.port] += 1 }
        MainActor.preconditionIsolated("update")
        try await settings.reset(.port)
        MainActor.preconditionIsolated("reset")
        try await settings.flush()
        MainActor.preconditionIsolated("flush")
        try await settings.reload()
        MainActor.preconditionIsolated("reload")
        _ = try await settings.value(of: .ready, where: { !$0 })
        MainActor.preconditionIsolated("value(of:where:)")
        for await _ in settings.values(of: .port) { break }
        MainActor.preconditionIsolated("values(of:)")
        try await settings.raw.set("raw", to: RawJSON("1"))
        MainActor.preconditionIsolated("raw.set")
        try await other.close()
        MainActor.preconditionIsolated("close")
        #expect(settings[.port, .ready] == (8080, false))
    }
}
