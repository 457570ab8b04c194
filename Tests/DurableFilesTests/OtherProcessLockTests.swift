import DurableFiles
import Foundation
import SystemCalls
import TestSupport
import Testing

/// Another process holds the lock.
@Suite struct OtherProcessLockTests {
    static let flock = ["/usr/bin/flock", "/bin/flock"].first(where: FileManager.default.isExecutableFile)

    /// A flock(1) that has the directory's lock and keeps it.
    private final class Holder {
        let process = Process()

        init(_ directory: QuickDirectory) throws {
            process.executableURL = URL(fileURLWithPath: try #require(OtherProcessLockTests.flock))
            // No child of its own, which would keep the lock when it is killed.
            process.arguments = ["--no-fork", "-x", directory.path, "sh", "-c", "echo held; exec sleep 600"]
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            // Returns when it has said so.
            _ = output.fileHandleForReading.availableData
        }

        func send(_ signal: CInt) { kill(process.processIdentifier, signal) }

        deinit {
            send(SIGKILL)
            process.waitUntilExit()
        }
    }

    @Test(.enabled(if: flock != nil, "needs flock(1)"))
    func `a stopped process that has the lock gives an error that names the file, in time`() async throws {
        let directory = try QuickDirectory()
        let path = try directory.write("old")
        try await within {
            try await onThread {
                let holder = try Holder(directory)
                holder.send(SIGSTOP)
                let start = ContinuousClock.now
                let error = #expect(throws: DurableFileError.self) {
                    try DurableFile(directory) { $0.lockTimeout = .milliseconds(100) }.write("new")
                }
                let waited = ContinuousClock.now - start
                #expect(error?.code == .lockTimedOut)
                #expect(error?.description.hasPrefix(path) == true)
                #expect(waited >= .milliseconds(100))
                #expect(try directory.read() == "old")
            }
        }
    }

    @Test(.enabled(if: flock != nil, "needs flock(1)"))
    func `a killed process gives the lock to who waits, and the threads that were left waiting give it back`()
        async throws
    {
        let directory = try QuickDirectory()
        try directory.write("old")
        try await within {
            try await onThread {
                let holder = try Holder(directory)
                // Many attempts that are given up: the second and later ones wait with the thread of the first.
                let waits = Recorder()
                for _ in 0..<20 {
                    let file = DurableFile(directory) {
                        $0.lockTimeout = .milliseconds(5)
                        $0.calls = waits.seam
                    }
                    #expect(throws: DurableFileError.self) { try file.write("new") }
                }
                #expect(waits.asked.count { $0.name == .flock && $0.flags == LOCK_EX } == 1)

                let holding = holder.process.processIdentifier
                Thread {
                    usleep(20_000)
                    kill(holding, SIGKILL)
                }.start()
                try DurableFile(directory).write("new")
                #expect(try directory.read() == "new")
                // The one that was left behind has given it back, or does so at once.
                try DurableFile(directory).write("newer")
                #expect(try directory.names() == ["settings.json"])
            }
        }
    }

    @Test(.enabled(if: flock != nil, "needs flock(1)"))
    func `a thread that gets the lock after its time gives it back by itself`() async throws {
        let directory = try QuickDirectory()
        try directory.write("old")
        try await within {
            try await onThread {
                let holder = try Holder(directory)
                let waits = Recorder()
                let file = DurableFile(directory) {
                    $0.lockTimeout = .milliseconds(5)
                    $0.calls = waits.seam
                }
                #expect(throws: DurableFileError.self) { try file.write("new") }
                holder.send(SIGKILL)
                // It has had the lock once the blocking call is done; after that nobody in this process may hold it.
                let end = ContinuousClock.now + .seconds(10)
                while !waits.done.contains(where: { $0.name == .flock && $0.flags == LOCK_EX }) {
                    try #require(ContinuousClock.now < end)
                    usleep(500)
                }
                let another = Process()
                another.executableURL = URL(fileURLWithPath: try #require(Self.flock))
                another.arguments = ["-x", "-w", "10", directory.path, "true"]
                try another.run()
                another.waitUntilExit()
                #expect(another.terminationStatus == 0)
            }
        }
    }
}
