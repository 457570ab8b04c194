import DurableFiles
import Foundation
import SystemCalls
import TestSupport
import Testing

@Suite struct ReplaceTests {
    @Test func `a missing file is made with what was written`() throws {
        let directory = try QuickDirectory()
        let done = try DurableFile(directory).write("{}")
        #expect(done.method == .created)
        #expect(try directory.read() == "{}")
        #expect(try directory.names() == ["settings.json"])
    }

    @Test func `a file is replaced and nothing else is left in its directory`() throws {
        let directory = try QuickDirectory()
        try directory.write("old")
        let done = try DurableFile(directory).write("new")
        #expect(done.bytes == Array("new".utf8))
        #expect(done.durabilityUnknown == nil)
        #expect(try directory.read() == "new")
        #expect(try directory.names() == ["settings.json"])
    }

    @Test func `missing directories are made`() throws {
        let directory = try QuickDirectory()
        try DurableFile(directory, "a/b/settings.json").write("{}")
        #expect(try directory.read("a/b/settings.json") == "{}")
    }

    @Test func `looking under the lock makes no directory`() throws {
        let directory = try QuickDirectory()
        let found = try DurableFile(directory, "a/settings.json").withLockIfDirectoryExists { try $0.read() }
        #expect(found == nil)
        #expect(try directory.names() == [])
    }

    @Test func `the mode of a file is kept`() throws {
        let directory = try QuickDirectory()
        let path = try directory.write("old")
        chmod(path, 0o640)
        try DurableFile(directory).write("new")
        #expect(try mode(path) == 0o640)
    }

    @Test func `a secret file and its directory are made for the owner alone`() throws {
        let directory = try QuickDirectory()
        try DurableFile(directory, "private/settings.json") { $0.creationMode = 0o600 }.write("{}")
        #expect(try mode(directory.file("private")) == 0o700)
        #expect(try mode(directory.file("private/settings.json")) == 0o600)
    }
}
