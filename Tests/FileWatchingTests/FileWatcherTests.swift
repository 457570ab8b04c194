import FileWatching
import Foundation
import TestSupport
import Testing

@Suite struct FileWatcherTests {
    @Test func `an edit in place is followed`() async throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("1")
        let follower = Follower(path)
        try directory.write("2")
        try await follower.reaches("2")
        try directory.write("3")
        try await follower.reaches("3")
        #expect(follower.texts == ["1", "2", "3"])
        #expect(follower.record.others == [])
        #expect(follower.watcher.mode == .notified)
    }

    @Test func `a replaced file is followed`() async throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("1")
        let follower = Follower(path)
        for number in 2...5 {
            try directory.replace(with: "\(number)")
            try await follower.reaches("\(number)")
        }
        #expect(follower.texts == ["1", "2", "3", "4", "5"])
        #expect(follower.record.others == [])
    }

    @Test func `a file that goes for long is missing until it is made again`() async throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("1")
        let follower = Follower(path)
        try FileManager.default.removeItem(atPath: path)
        try await follower.reaches(.missing)
        try directory.write("2")
        try await follower.reaches("2")
        try FileManager.default.removeItem(atPath: path)
        try await follower.reaches(.missing)
        try directory.replace(with: "3")
        try await follower.reaches("3")
        #expect(follower.record.others == [.missing, .missing])
    }

    @Test func `a file made after the watch is found, though its directories come later too`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("x/y/z/settings.json")
        let follower = Follower(path)
        #expect(follower.record.latest == .missing)
        try FileManager.default.createDirectory(atPath: directory.file("x/y/z"), withIntermediateDirectories: true)
        try directory.write("1", to: "x/y/z/settings.json")
        try await follower.reaches("1")
        try directory.replace("x/y/z/settings.json", with: "2", beside: "x/y/z")
        try await follower.reaches("2")
    }

    @Test func `stop ends the signals at once and may be repeated`() async throws {
        let directory = try TemporaryDirectory()
        let watcher = FileWatcher(path: try directory.write("1"), options: .init())
        try directory.replace(with: "2")
        watcher.stop()
        watcher.stop()
        try await within {
            for await _ in watcher.signals { Issue.record("a signal after stop") }
        }
        #expect(watcher.read() == .content(Array("2".utf8)))
    }
}

extension TemporaryDirectory {
    /// Writes `text` in the directory `beside` and renames it over `name`.
    func replace(_ name: String, with text: String, beside: String) throws {
        let temporary = try write(text, to: beside + "/.edit")
        #expect(rename(temporary, file(name)) == 0)
    }
}
