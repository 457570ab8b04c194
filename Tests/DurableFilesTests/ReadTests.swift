import DurableFiles
import Foundation
import SystemCalls
import TestSupport
import Testing

@Suite struct ReadTests {
    let directory: QuickDirectory

    init() throws { directory = try QuickDirectory() }

    private func read(_ change: (inout DurableFile.Options) -> Void = { _ in }) throws -> LockedFile.Content {
        try DurableFile(directory, "settings.json", change).withLock { try $0.read() }
    }

    @Test func `a missing file is missing and an empty one is empty`() throws {
        #expect(try read() == .missing)
        try directory.write("")
        #expect(try read() == .bytes([]))
    }

    @Test func `a FIFO is an error and no hang, and is not replaced`() async throws {
        let path = directory.file("settings.json")
        #expect(mkfifo(path, 0o644) == 0)
        let isOver = Flag()
        // Should it hang, this opens the other end after a while, so that the test fails instead of hanging too.
        Thread {
            for _ in 0..<6_000 where !isOver.isSet { usleep(10_000) }
            if isOver.isSet { return }
            Issue.record("the FIFO was opened for reading and waited for")
            close(open(path, O_RDWR | O_CLOEXEC))
        }.start()
        let error = try await onThread { [directory] in
            #expect(throws: DurableFileError.self) { try DurableFile(directory).write("new") }
        }
        isOver.set()
        #expect(error?.code == .notAFile)
        #expect(try directory.names() == ["settings.json"])
    }

    @Test func `a directory is an error`() throws {
        mkdir(directory.file("settings.json"), 0o755)
        #expect(throws: DurableFileError.self) { try read() }
        let error = #expect(throws: DurableFileError.self) { try DurableFile(directory).write("new") }
        #expect(error?.code == .notAFile)
        #expect(try directory.names() == ["settings.json"])
    }

    @Test func `a directory put in the file's place just before the exchange gets its name back`() throws {
        let path = try directory.write("old")
        let gate = Gate(before: .exchange) {
            unlink(path)
            mkdir(path, 0o755)
        }
        let error = #expect(throws: DurableFileError.self) {
            try DurableFile(directory) { $0.calls = gate.seam }.write("new")
        }
        #expect(error?.code == .notAFile)
        #expect(try directory.names() == ["settings.json"])
        var status = stat()
        lstat(path, &status)
        #expect(status.st_mode & S_IFMT == S_IFDIR)
    }

    @Test func `the size is bounded, in reading and in writing`() throws {
        try directory.write("12345678")
        #expect(try read { $0.maximumSize = 8 } == .bytes(Array("12345678".utf8)))
        let error = #expect(throws: DurableFileError.self) { try read { $0.maximumSize = 7 } }
        #expect(error?.code == .tooLarge)
        let file = DurableFile(directory) { $0.maximumSize = 8 }
        #expect(throws: DurableFileError.self) { try file.write("123456789") }
        #expect(try directory.read() == "12345678")
        #expect(try directory.names() == ["settings.json"])
    }

    @Test func `a large file is read whole`() throws {
        let text = String(repeating: "0123456789", count: 300_000)
        try directory.write(text)
        #expect(try read() == .bytes(Array(text.utf8)))
    }

    @Test func `a read during which the file changes is repeated`() throws {
        let path = try directory.write("old")
        let gate = Gate(before: .pread) { [directory] in _ = try? directory.write("newer", to: "settings.json") }
        #expect(try read { $0.calls = gate.seam } == .bytes(Array("newer".utf8)))
        let replaced = Gate(before: .pread) { [directory] in _ = try? directory.replace(with: "newest") }
        #expect(try read { $0.calls = replaced.seam } == .bytes(Array("newest".utf8)))
        _ = path
    }

    @Test func `a file that changes all the time is an error`() throws {
        try directory.write("old")
        let recorder = Recorder { [directory] call, number in
            if call.name == .pread { _ = try? directory.write("text \(number)") }
            return .proceed
        }
        let error = #expect(throws: DurableFileError.self) { try read { $0.calls = recorder.seam } }
        #expect(error?.code == .contended)
    }

    @Test func `a relative path is taken from the directory of the moment`() throws {
        // The path is made absolute at once; nothing here changes the working directory of the process.
        let file = DurableFile(path: "surely-not-here/settings.json")
        #expect(try file.withLockIfDirectoryExists { try $0.read() } == nil)
    }
}
