import Foundation
import TestSupport
import Testing

@testable import Rheostat

@Suite struct UnwatchedStoreTests {
    private let directory: TemporaryDirectory
    private let file: String

    init() throws {
        directory = try TemporaryDirectory()
        file = try directory.write(#"{"server": {"port": 1}}"#)
    }

    @Test func `a file that is not watched is looked at by reload and by each write`() async throws {
        let settings = try await SettingsStore.open(.file(file, isWatched: false), keys: [.port])
        #expect(settings[.port] == 1)
        try directory.replace(with: #"{"server": {"port": 2}}"#)
        #expect(settings[.port] == 1)
        try await settings.reload()
        #expect(settings[.port] == 2)
        try directory.replace(with: #"{"server": {"port": 3}}"#)
        try await settings.set(.host, to: "example.org")
        #expect(settings[.port] == 3)
        #expect(try directory.read() == #"{"server": {"port": 3, "host": "example.org"}}"#)
        try await settings.close()
    }

    @Test func `a file that is not watched gives no signals`() async throws {
        let settings = try await SettingsStore.open(.file(file, isWatched: false))
        #expect(settings.backend.standingProblems.isEmpty)
        for await _ in settings.backend.signals { Issue.record("a signal of a file that is not watched") }
        try await settings.close()
    }
}
