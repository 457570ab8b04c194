import Foundation
import TestSupport

/// A `rheostat watch` that runs, and the lines it printed.
final class Watching: Sendable {
    private struct State {
        var lines: [String] = []
        var rest = Data()
        var taken = 0
        var isAtEnd = false
    }

    private let state = Locked(State())
    private let process: Process

    /// Starts `rheostat watch` with `arguments`.
    convenience init(_ arguments: String..., in directory: String? = nil) throws {
        try self.init(arguments, in: directory)
    }

    init(_ arguments: [String], in directory: String? = nil) throws {
        process = Tool.process(["watch"] + arguments, in: directory)
        let output = Pipe()
        process.standardOutput = output
        let state = state
        try process.run()
        let number = output.fileHandleForReading
        Thread.detachNewThread {
            while true {
                // Gives what is there; empty at the end.
                let data = number.availableData
                if data.isEmpty { break }
                state.withLock { state in
                    state.rest += data
                    while let end = state.rest.firstIndex(of: UInt8(ascii: "\n")) {
                        state.lines.append(String(decoding: state.rest[..<end], as: UTF8.self))
                        state.rest = Data(state.rest[state.rest.index(after: end)...])
                    }
                }
            }
            state.withLock { $0.isAtEnd = true }
        }
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// The next line; `nil` at the end of the output.
    func next() async throws -> String? {
        try await eventually {
            self.state.withLock { $0.lines.count > $0.taken || $0.isAtEnd }
        }
        return state.withLock { state in
            guard state.lines.count > state.taken else { return nil }
            defer { state.taken += 1 }
            return state.lines[state.taken]
        }
    }

    /// The next `count` lines.
    func next(_ count: Int) async throws -> [String] {
        var lines: [String] = []
        while lines.count < count, let line = try await next() { lines.append(line) }
        return lines
    }

    /// Sends a signal, waits for the end, and gives the status and the lines that were not taken.
    func end(by signal: Int32) async throws -> (status: Int32, rest: [String]) {
        kill(process.processIdentifier, signal)
        let ends = process.end
        let status = try await within { await ends() }
        var rest: [String] = []
        while let line = try await next() { rest.append(line) }
        return (process.terminationReason == .exit ? status : -status, rest)
    }
}
