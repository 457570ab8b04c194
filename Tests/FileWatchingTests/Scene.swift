import FileWatching
import Foundation
import TestSupport
import Testing

/// One scenario of the table in the design of the watcher: a directory, a file, and what its follower saw.
struct Scene {
    let directory: TemporaryDirectory
    let path: String
    let follower: Follower

    /// Prepares the place, then watches `name`. By default the file holds document 1.
    init(
        _ name: String = "d/settings.json", options: FileWatcher.Options = .init(),
        prepare: (TemporaryDirectory) throws -> Void = { try $0.put(1) }
    ) throws {
        directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: directory.file("d"), withIntermediateDirectories: true)
        try prepare(directory)
        path = directory.file(name)
        follower = Follower(path, options: options)
    }

    func put(_ number: Int, _ name: String = "d/settings.json") throws { try directory.put(number, name) }
    func move(_ number: Int, _ name: String = "d/settings.json") throws { try directory.move(number, name) }

    /// Runs a shell command in the directory; no thread of the cooperative pool waits for it.
    func shell(_ command: String) async throws { try await Shell.run(command, in: directory.path) }

    /// Waits until document `number` has been read.
    func sees(_ number: Int) async throws { try await follower.reaches(TemporaryDirectory.document(number)) }
    func sees(_ reading: FileReading) async throws { try await follower.reaches(reading) }

    /// Waits until document `number` was seen and nothing is on its way, then judges all that was seen.
    ///
    /// `documents` are those that were to be seen, each once; with `orFewer` some but the last may be missing, as
    /// quick edits are joined.
    func ends(
        _ number: String, _ documents: [Int], others: [FileReading] = [], orFewer: Bool = false,
        quiet: Duration = .milliseconds(250), _ title: String = #function,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        if let last = documents.last { try await sees(last) }
        // Later than every grace time: what would come wrongly has come.
        try await Task.sleep(for: quiet)
        let record = follower.record
        let wanted = documents.map(TemporaryDirectory.document)
        let isRight = orFewer ? record.texts.isSubsequence(of: wanted) : record.texts == wanted
        #expect(isRight, "texts \(record.texts)", sourceLocation: sourceLocation)
        #expect(record.others == others, sourceLocation: sourceLocation)
        let verdict = isRight && record.others == others ? "right" : "WRONG"
        print("scenario \(number) \(verdict): \(title.dropLast(2)): \(record.texts.count) texts, \(record.looks) looks")
        follower.watcher.stop()
    }
}

extension [String] {
    fileprivate func isSubsequence(of other: [String]) -> Bool {
        var rest = other[...]
        for element in self {
            guard let index = rest.firstIndex(of: element) else { return false }
            rest = rest[(index + 1)...]
        }
        return last == other.last
    }
}

extension TemporaryDirectory {
    /// A text that shows when it is torn: the number stands at both ends.
    static func document(_ number: Int) -> String {
        "{ \"v\": \(number), \"pad\": \"\(String(repeating: "abcdefghij", count: 20))\", \"w\": \(number) }\n"
    }

    /// Truncates and writes document `number` in place.
    func put(_ number: Int, _ name: String = "d/settings.json") throws {
        let descriptor = open(file(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        defer { close(descriptor) }
        try Self.write(Self.document(number), descriptor)
    }

    /// Writes document `number` beside the file and renames it over.
    func move(_ number: Int, _ name: String = "d/settings.json") throws {
        let temporary = URL(fileURLWithPath: file(name)).deletingLastPathComponent().path + "/.edit"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        defer { close(descriptor) }
        try Self.write(Self.document(number), descriptor)
        guard rename(temporary, file(name)) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    static func write(_ text: some StringProtocol, _ descriptor: CInt, at offset: Int? = nil) throws {
        let bytes = Array(text.utf8)
        let count =
            if let offset { pwrite(descriptor, bytes, bytes.count, offset) } else {
                Foundation.write(descriptor, bytes, bytes.count)
            }
        guard count == bytes.count else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    func make(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: file(name), withIntermediateDirectories: true)
    }

    func remove(_ name: String = "d/settings.json") throws { try FileManager.default.removeItem(atPath: file(name)) }

    func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: file(name), withDestinationPath: target)
    }
}

enum Shell {
    struct Failed: Error, CustomStringConvertible {
        let command: String
        let output: String
        var description: String { "\(command): \(output)" }
    }

    static func has(_ program: String) -> Bool {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .contains { access("\($0)/\(program)", X_OK) == 0 }
    }

    /// Runs `command` and gives what it printed.
    @discardableResult
    static func run(_ command: String, in directory: String, environment: [String: String] = [:]) async throws
        -> String
    {
        let result: (status: CInt, output: String) = try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                let process = Process()
                let pipe = Pipe()
                process.executableURL = URL(fileURLWithPath: "/bin/sh")
                process.arguments = ["-c", command]
                process.currentDirectoryURL = URL(fileURLWithPath: directory)
                process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
                process.standardInput = FileHandle.nullDevice
                process.standardOutput = pipe
                process.standardError = pipe
                do {
                    try process.run()
                } catch {
                    continuation.resume(throwing: error)
                    return
                }
                let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
                process.waitUntilExit()
                continuation.resume(returning: (process.terminationStatus, output))
            }
        }
        guard result.status == 0 else { throw Failed(command: command, output: result.output) }
        return result.output
    }
}
