import DurableFiles
import Foundation
import SystemCalls
import TestSupport
import Testing

@Suite struct DirectoryLockTests {
    @Test func `taken again by its own holder it ends in a timeout`() throws {
        let directory = try QuickDirectory()
        let path = try directory.write("{}")
        let file = DurableFile(directory) { $0.lockTimeout = .milliseconds(50) }
        let error = #expect(throws: DurableFileError.self) {
            try file.withLock { _ in try file.withLock { _ in } }
        }
        #expect(error?.code == .lockTimedOut)
        #expect(error?.file == path)
        #expect(try directory.names() == ["settings.json"])
        // It was given back.
        #expect(try file.withLock { try $0.read().text } == "{}")
    }

    @Test func `it is given back when the body throws`() throws {
        let directory = try QuickDirectory()
        let file = DurableFile(directory) { $0.lockTimeout = .zero }
        #expect(throws: Unexpected.self) { try file.withLock { _ in throw Unexpected() } }
        try file.write("{}")
    }

    @Test func `two hundred increments from eight threads lose none`() async throws {
        let directory = try QuickDirectory()
        try directory.write("0")
        let path = directory.file("settings.json")
        try await within(.seconds(60)) {
            try await withThrowingTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await onThread {
                            var options = DurableFile.Options()
                            options.durability = .renamed
                            let file = DurableFile(path: path, options: options)
                            for _ in 0..<25 {
                                try file.withLock { file in
                                    let text = try file.read()
                                    let next = (text.text.flatMap { Int($0) } ?? -1) + 1
                                    _ = try file.replace(expecting: text.bytes, with: Array("\(next)".utf8)) { _ in
                                        throw Unexpected()
                                    }
                                }
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(try directory.read() == "200")
        #expect(try directory.names() == ["settings.json"])
    }

    @Test func `waiting ends as soon as the holder is done`() async throws {
        let directory = try QuickDirectory()
        try directory.write("0")
        try await within {
            try await withThrowingTaskGroup { group in
                let isHeld = Flag()
                group.addTask {
                    try await onThread {
                        try DurableFile(directory).withLock { _ in
                            isHeld.set()
                            usleep(30_000)
                        }
                    }
                }
                try await eventually { isHeld.isSet }
                try await onThread { _ = try DurableFile(directory).write("1") }
                try await group.waitForAll()
            }
        }
        #expect(try directory.read() == "1")
    }

    @Test func `a directory that was replaced while waiting is locked anew`() async throws {
        let directory = try QuickDirectory()
        mkdir(directory.file("a"), 0o777)
        try directory.write("old", to: "a/settings.json")
        // Between opening the directory and locking it, another takes its name.
        let gate = Gate(before: .flock) {
            rename(directory.file("a"), directory.file("b"))
            mkdir(directory.file("a"), 0o777)
        }
        let file = DurableFile(directory, "a/settings.json") { $0.calls = gate.seam }
        try file.withLock { locked in
            let text = try locked.read()
            #expect(text == .missing)
            // It is the present directory's lock that is held.
            let other = DurableFile(directory, "a/settings.json") { $0.lockTimeout = .zero }
            #expect(throws: DurableFileError.self) { try other.withLock { _ in } }
        }
        try file.write("new")
        #expect(try directory.read("a/settings.json") == "new")
        #expect(try directory.read("b/settings.json") == "old")
    }

    @Test func `a link that was turned while waiting is followed to where it leads now`() throws {
        let directory = try QuickDirectory()
        for name in ["a", "b"] {
            mkdir(directory.file(name), 0o777)
            try directory.write(name, to: "\(name)/settings.json")
        }
        let link = directory.file("settings.json")
        symlink("a/settings.json", link)
        let gate = Gate(before: .flock) {
            unlink(link)
            symlink("b/settings.json", link)
        }
        try DurableFile(directory) { $0.calls = gate.seam }.write("new")
        #expect(try directory.read("a/settings.json") == "a")
        #expect(try directory.read("b/settings.json") == "new")
    }

    @Test func `a directory that is removed between two writes is made again`() throws {
        let directory = try QuickDirectory()
        let file = DurableFile(directory, "a/settings.json")
        try file.write("one")
        try FileManager.default.removeItem(atPath: directory.file("a"))
        try file.write("two")
        #expect(try directory.read("a/settings.json") == "two")
    }

    @Test func `when locking fails nothing is written`() throws {
        let directory = try QuickDirectory()
        try directory.write("old")
        let refusing = Recorder { call, _ in call.name == .flock ? .fail(ENOLCK) : .proceed }
        let error = #expect(throws: DurableFileError.self) {
            try DurableFile(directory) { $0.calls = refusing.seam }.write("new")
        }
        #expect(error?.cause == SystemError(call: "flock", path: directory.path, code: ENOLCK))
        #expect(try directory.read() == "old")
    }

    @Test func `no descriptor is left open, whatever happens`() throws {
        let directory = try QuickDirectory()
        try directory.write("old")
        // Other tests of this process open files too, so those of this directory are counted.
        func descriptors() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
                let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)
                return path?.hasPrefix(directory.path) == true
            }
        }
        try DurableFile(directory).write("new")
        #expect(throws: Unexpected.self) { try DurableFile(directory).withLock { _ in throw Unexpected() } }
        for name in FileCall.Name.allCases {
            let failing = Recorder { call, _ in call.name == name ? .fail(EIO) : .proceed }
            let file = DurableFile(directory) { $0.calls = failing.seam }
            _ = try? file.withLock { _ = try $0.recoverDisplaced() }
            _ = try? file.write("newer")
        }
        #expect(try descriptors() == 0)
    }
}
