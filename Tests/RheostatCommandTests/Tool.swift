import Foundation
import TestSupport
import Testing

/// The built tool, run as a second process.
enum Tool {
    /// What a run left behind.
    struct Outcome: Sendable, Equatable, CustomStringConvertible {
        var status: Int32
        var output: String
        var errors: String
        /// Whether a signal ended it: a trap, for instance.
        var wasKilled = false

        var description: String {
            "status \(status)\(wasKilled ? " (signal)" : ""), output \(output), errors \(errors)"
        }

        /// A run that did what it should, in silence but for `output`.
        static func done(_ output: String = "") -> Outcome { Outcome(status: 0, output: output, errors: "") }

        /// A run that printed nothing but why it failed.
        static func failed(_ status: Int32, _ errors: String) -> Outcome {
            Outcome(status: status, output: "", errors: errors)
        }
    }

    /// The executable: it is built into the directory of the tests.
    static let executable: URL = {
        let tests = Bundle.allBundles.map(\.bundleURL) + [URL(fileURLWithPath: CommandLine.arguments[0])]
        let directories = tests.map { $0.resolvingSymlinksInPath() }.flatMap { [$0, $0.deletingLastPathComponent()] }
        let candidates = directories.map { $0.appendingPathComponent("rheostat") }
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) } ?? candidates[0]
    }()

    /// A process that is not started yet.
    static func process(_ arguments: [String], in directory: String? = nil) -> Process {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        if let directory { process.currentDirectoryURL = URL(fileURLWithPath: directory) }
        process.standardInput = FileHandle.nullDevice
        return process
    }

    /// Runs the tool to its end.
    static func run(_ arguments: String..., in directory: String? = nil) async throws -> Outcome {
        try await run(process(arguments, in: directory))
    }

    /// Runs the tool by a shell script, in which `"$0"` is the tool and the arguments begin with `$1`.
    static func script(_ script: String, _ arguments: String...) async throws -> Outcome {
        let process = process(["-c", script, executable.path] + arguments)
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        return try await run(process)
    }

    /// Runs the tool and compares what came with what should.
    static func expect(
        _ outcome: Outcome, of arguments: String..., in directory: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let found = try await run(process(arguments, in: directory))
        #expect(found == outcome, sourceLocation: sourceLocation)
    }

    static func run(_ process: sending Process) async throws -> Outcome {
        let output = Pipe()
        let errors = Pipe()
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let ends = process.end
        let readings = [output, errors].map { $0.fileHandleForReading.all }
        return try await within {
            // At the same time: a pipe that nobody empties would hold the tool up.
            async let output = readings[0]()
            async let errors = readings[1]()
            return Outcome(status: await ends(), output: await output, errors: await errors)
        }
        .killed(process.terminationReason == .uncaughtSignal)
    }
}

extension Tool.Outcome {
    fileprivate func killed(_ wasKilled: Bool) -> Self {
        var copy = self
        copy.wasKilled = wasKilled
        return copy
    }
}

extension Process {
    /// Waits for the end, off the cooperative pool, and gives the status. Cancelled, because a deadline has passed, it
    /// kills the process: a tool that hangs fails its test instead of holding up all.
    var end: @Sendable () async -> Int32 {
        let process = self
        return {
            await withTaskCancellationHandler {
                await withCheckedContinuation { done in
                    Thread.detachNewThread {
                        process.waitUntilExit()
                        done.resume(returning: process.terminationStatus)
                    }
                }
            } onCancel: {
                kill(process.processIdentifier, SIGKILL)
            }
        }
    }
}

extension FileHandle {
    /// Reads up to the end, off the cooperative pool.
    fileprivate var all: @Sendable () async -> String {
        let handle = self
        return {
            await withCheckedContinuation { done in
                Thread.detachNewThread {
                    let data = (try? handle.readToEnd()) ?? Data()
                    done.resume(returning: String(decoding: data, as: UTF8.self))
                }
            }
        }
    }
}
