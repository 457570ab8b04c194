import Foundation
import RheostatTesting
import TestSupport
import Testing

@testable import Rheostat

@Suite struct BackendConformanceTests {
    typealias Conformance = SettingsBackendConformance

    static let memory = Conformance {
        let shared = MemoryBackend()
        return Conformance.Place(
            open: { MemoryBackend(sharing: shared) },
            edit: { shared.replace(with: $0.map { String(decoding: $0, as: UTF8.self) }) },
            text: { shared.currentText.map { Array($0.utf8) } })
    }

    @Test(arguments: memory.checks)
    func `memory keeps the contract`(_ check: Conformance.Check) async throws { try await check.run() }

    @Test(arguments: files(edited: replace).checks)
    func `a file that is edited by renaming keeps the contract`(_ check: Conformance.Check) async throws {
        try await check.run()
    }

    @Test(arguments: files(edited: overwrite).checks)
    func `a file that is edited in place keeps the contract`(_ check: Conformance.Check) async throws {
        try await check.run()
    }

    @Test(arguments: linkedFiles.checks)
    func `a file reached through two different links keeps the contract`(_ check: Conformance.Check) async throws {
        try await check.run()
    }

    @Test func `test aids that are told nothing keep the contract`() async throws {
        let wrapped = Conformance {
            let shared = MemoryBackend()
            return Conformance.Place(
                open: { GatedBackend(FailingBackend(MemoryBackend(sharing: shared))) },
                edit: { shared.replace(with: $0.map { String(decoding: $0, as: UTF8.self) }) },
                text: { shared.currentText.map { Array($0.utf8) } })
        }
        try await wrapped.run()
    }

    // MARK: Files

    /// Files in a directory of their own, edited by somebody in one way or another.
    static func files(edited edit: @escaping @Sendable (TemporaryDirectory, [UInt8]) throws -> Void) -> Conformance {
        Conformance(options: fileOptions) {
            let directory = try TemporaryDirectory()
            let path = directory.file("settings.json")
            return place(path, opened: { path }, in: directory, edited: edit)
        }
    }

    /// One file, and two links to it from other directories; each backend takes the next link.
    static var linkedFiles: Conformance {
        Conformance(options: fileOptions) {
            let directory = try TemporaryDirectory()
            let path = directory.file("real/settings.json")
            let links = [directory.file("one/a.json"), directory.file("other/b.json")]
            for name in ["real", "one", "other"] {
                try FileManager.default.createDirectory(
                    atPath: directory.file(name), withIntermediateDirectories: false)
            }
            try FileManager.default.createSymbolicLink(
                atPath: links[0], withDestinationPath: "../real/settings.json")
            try FileManager.default.createSymbolicLink(atPath: links[1], withDestinationPath: path)
            let opened = Locked(0)
            return place(
                path,
                opened: {
                    opened.withLock { count in
                        count += 1
                        return links[count % 2]
                    }
                }, in: directory, edited: replace)
        }
    }

    /// Each commit is synced, so fewer of them.
    private static var fileOptions: Conformance.Options {
        var options = Conformance.Options()
        options.increments = 200
        return options
    }

    private static func place(
        _ path: String, opened: @escaping @Sendable () -> String, in directory: TemporaryDirectory,
        edited edit: @escaping @Sendable (TemporaryDirectory, [UInt8]) throws -> Void
    ) -> Conformance.Place {
        Conformance.Place(
            open: {
                try SettingsSource.file(opened(), lockTimeout: .seconds(20)).makeBackend(hasSecrets: false)
            },
            edit: { text in
                if let text {
                    try edit(directory, text)
                } else {
                    try FileManager.default.removeItem(atPath: path)
                }
            },
            text: {
                guard FileManager.default.fileExists(atPath: path) else { return nil }
                return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
            })
    }

    /// The directory in which the file lies: itself, or `real`.
    private static func base(of directory: TemporaryDirectory) -> String {
        let real = directory.file("real")
        return FileManager.default.fileExists(atPath: real) ? "real/" : ""
    }

    static let replace: @Sendable (TemporaryDirectory, [UInt8]) throws -> Void = { directory, text in
        try directory.replace(base(of: directory) + "settings.json", with: String(decoding: text, as: UTF8.self))
    }

    static let overwrite: @Sendable (TemporaryDirectory, [UInt8]) throws -> Void = { directory, text in
        try directory.write(String(decoding: text, as: UTF8.self), to: "settings.json")
    }
}
