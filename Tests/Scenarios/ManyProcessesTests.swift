import Foundation
import Rheostat
import TestSupport
import Testing

/// Several processes that write one file at once: the tool, and a store in this process.
@Suite struct ManyProcessesTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Starts the tool, which is built into the directory of the tests.
    private func start(_ arguments: [String]) throws -> Process {
        let tests = Bundle.allBundles.map(\.bundleURL) + [URL(fileURLWithPath: CommandLine.arguments[0])]
        let candidates = tests.map { $0.resolvingSymlinksInPath() }
            .flatMap { [$0, $0.deletingLastPathComponent()] }.map { $0.appendingPathComponent("rheostat") }
        let tool: URL = try #require(candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) })
        let process = Process()
        process.executableURL = tool
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        try process.run()
        return process
    }

    private func end(_ processes: [Process]) async throws {
        for process in processes {
            try await eventually { !process.isRunning }
            #expect(process.terminationStatus == 0)
        }
    }

    @Test func `forty processes set a key each, and all forty are kept`() async throws {
        let path = directory.file("settings.json")
        try await end((0..<40).map { try start(["set", path, "keys.k\($0)", "\($0)"]) })
        let settings = try await SettingsStore.open(.file(path))
        for number in 0..<40 { #expect(settings[SettingKey("keys.k\(number)", default: -1)] == number) }
        #expect(try directory.names() == ["settings.json"])
    }

    @Test func `increments by other processes and by this one add up, and each is an event`() async throws {
        let path = directory.file("settings.json")
        let settings = try await SettingsStore.open(.file(path))
        let counter = SettingKey("counter", default: 0)
        let others = try (0..<10).map { _ in try start(["increment", path, "counter"]) }
        for _ in 0..<10 { try await settings.update { $0[counter] += 1 } }
        try await end(others)
        #expect(try await within { try await settings.value(of: counter, where: { $0 == 20 }) } == 20)
    }
}
