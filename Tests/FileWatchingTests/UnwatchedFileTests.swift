import Foundation
import TestSupport
import Testing

@testable import FileWatching

@Suite struct UnwatchedFileTests {
    private let directory: TemporaryDirectory
    private let file: UnwatchedFile

    init() throws {
        directory = try TemporaryDirectory()
        var options = FileWatcher.Options(maximumSize: 16)
        options.times.empty = .milliseconds(150)
        options.times.missing = .milliseconds(150)
        file = UnwatchedFile(path: directory.file("settings.json"), options: options)
    }

    @Test func `it reads what is there at each look`() throws {
        #expect(file.read() == .missing)
        try directory.write("one")
        #expect(file.read() == .content(Array("one".utf8)))
        try directory.replace(with: "two")
        #expect(file.readSettled() == .content(Array("two".utf8)))
        try directory.write(String(repeating: "x", count: 17))
        #expect(file.readSettled() == .tooLarge(size: 17, limit: 16))
    }

    @Test func `what may be the middle of an edit is waited for`() async throws {
        try directory.write("")
        #expect(file.read() == .unsettled)
        try directory.write("one")
        #expect(file.readSettled() == .content(Array("one".utf8)))
        try FileManager.default.removeItem(atPath: directory.file("settings.json"))
        #expect(file.read() == .unsettled)
        #expect(file.readSettled() == .missing)
        try directory.write("")
        #expect(file.readSettled() == .empty)
    }

    @Test func `a FIFO is not opened`() {
        mkfifo(directory.file("settings.json"), 0o644)
        #expect(file.readSettled() == .notAFile(.fifo))
    }
}
