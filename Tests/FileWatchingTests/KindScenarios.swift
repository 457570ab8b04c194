import Foundation
import SystemCalls
import TestSupport
import Testing

@testable import FileWatching

/// Section 1.5 of the table: kinds, sizes and permissions.
@Suite struct KindScenarios {
    @Test func `a FIFO in the place of the file, without being opened, then a file again`() async throws {
        let scene = try Scene()
        #expect(mkfifo(scene.directory.file("d/fifo"), 0o600) == 0)
        // A writer waits for a reader, which we must not be.
        let fifo = scene.directory.file("d/fifo")
        let isOpened = LifetimeTests.Flag()
        let hasEnded = LifetimeTests.Flag()
        Thread.detachNewThread {
            let descriptor = open(fifo, O_WRONLY | O_CLOEXEC)
            isOpened.set()
            close(descriptor)
            hasEnded.set()
        }
        #expect(link(fifo, scene.directory.file("d/second")) == 0)
        #expect(rename(scene.directory.file("d/second"), scene.path) == 0)
        try await scene.sees(.notAFile(.fifo))
        #expect(!isOpened.isSet)
        try await eventually {
            close(open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC))
            return hasEnded.isSet
        }
        try scene.move(2)
        try await scene.ends("W47", [1, 2], others: [.notAFile(.fifo)])
    }

    @Test func `a directory, a socket and a device in the place of the file`() async throws {
        let scene = try Scene()
        try scene.directory.remove()
        try scene.directory.make("d/settings.json")
        try await scene.sees(.notAFile(.directory))
        #expect(rmdir(scene.path) == 0)
        try scene.directory.link("d/settings.json", to: "/dev/null")
        try await scene.sees(.notAFile(.characterDevice))
        try scene.move(2)
        try await scene.ends("W47 kinds", [1, 2], others: [.notAFile(.directory), .notAFile(.characterDevice)])
    }

    @Test func `a file over the limit, then one within it`() async throws {
        let size = TemporaryDirectory.document(1).utf8.count
        let scene = try Scene(options: .init(maximumSize: size))
        try scene.directory.write(String(repeating: "x", count: size + 1), to: "d/settings.json")
        try await scene.sees(.tooLarge(size: size + 1, limit: size))
        #expect(truncate(scene.path, 1 << 40) == 0)
        try await scene.sees(.tooLarge(size: 1 << 40, limit: size))
        try scene.move(2)
        try await scene.ends(
            "W50", [1, 2],
            others: [.tooLarge(size: size + 1, limit: size), .tooLarge(size: 1 << 40, limit: size)])
    }

    @Test func `a path that no kernel takes is unreadable at once`() throws {
        func reading(_ path: String) -> FileReading {
            FileWatcher(path: path, options: .init()).readSettled()
        }
        guard case .unreadable(let tooLong) = reading("/" + String(repeating: "x", count: 300)),
            case .unreadable(let broken) = reading("/tmp/a\0b")
        else {
            Issue.record("not unreadable")
            return
        }
        #expect(tooLong.code == ENAMETOOLONG)
        #expect(broken.code == EINVAL)
        #expect(reading("") == .missing)
        #expect(reading("/") == .notAFile(.directory))
        #expect(reading("/dev/null/x") == .missing)
    }

    @Test func `a file of proc, which has bytes but no size, is read`() throws {
        guard case .content(let bytes) = FileWatcher(path: "/proc/version", options: .init()).readSettled() else {
            Issue.record("no content")
            return
        }
        #expect(!bytes.isEmpty)
    }

    @Test func `200 other files and names that only begin alike cause no look`() async throws {
        let scene = try Scene()
        let names = [".settings.json.swp", "settings.json~", "settings.json.bak", "settings", "x.log", "settings.jso"]
        for number in 0..<200 { try scene.directory.write("junk", to: "d/" + names[number % names.count]) }
        try scene.directory.link("d/.#settings.json", to: "me@host.1")
        try scene.directory.make("d/sub")
        try scene.put(9, "d/sub/settings.json")
        // One look is the first; events are in order, so those of the noise are over when the edit is seen.
        #expect(scene.follower.record.looks == 1)
        try scene.move(2)
        try await scene.sees(2)
        #expect(scene.follower.record.looks <= 3)
        try await scene.ends("W58", [1, 2])
    }

    @Test func `another user's file, unreadable and readable again, in a process of an ordinary user`() async throws {
        try await ChildTests.run("PermissionScenarios", as: .nobody)
    }
}

/// Run as an ordinary user, in a process of its own: the superuser may read everything.
@Suite(.enabled(if: geteuid() != 0)) struct PermissionScenarios {
    @Test func `made unreadable, then readable again, then edited`() async throws {
        let scene = try Scene()
        #expect(chmod(scene.path, 0) == 0)
        let denied = FileReading.unreadable(SystemError(call: "open", path: scene.path, code: EACCES))
        try await scene.sees(denied)
        #expect(chmod(scene.path, 0o644) == 0)
        try await scene.sees(1)
        try scene.move(2)
        try await scene.ends("W48", [1, 2], others: [denied])
    }

    @Test func `replaced by an unreadable file that becomes readable`() async throws {
        let scene = try Scene()
        try scene.put(2, "d/new")
        #expect(chmod(scene.directory.file("d/new"), 0) == 0)
        #expect(rename(scene.directory.file("d/new"), scene.path) == 0)
        let denied = FileReading.unreadable(SystemError(call: "open", path: scene.path, code: EACCES))
        try await scene.sees(denied)
        #expect(chmod(scene.path, 0o644) == 0)
        try await scene.ends("W48 replaced", [1, 2], others: [denied])
    }

    @Test func `a directory that may be passed but not watched is polled`() async throws {
        var options = FileWatcher.Options()
        options.intervals.silent = .milliseconds(100)
        let scene = try Scene(options: options) {
            try $0.put(1)
            #expect(chmod($0.file("d"), 0o300) == 0)
        }
        defer { chmod(scene.directory.file("d"), 0o700) }
        guard case .polling(.unwatchable(let error)) = scene.follower.watcher.mode else {
            Issue.record("\(scene.follower.watcher.mode)")
            return
        }
        #expect(error.code == EACCES)
        try scene.move(2)
        try await scene.sees(2)
        #expect(chmod(scene.directory.file("d"), 0o700) == 0)
        try await eventually { scene.follower.watcher.mode == .notified }
        try scene.move(3)
        try await scene.ends("W48 directory", [1, 2, 3])
    }

    @Test func `a directory that may not be passed is unreadable, then passed`() async throws {
        let scene = try Scene()
        #expect(chmod(scene.directory.file("d"), 0) == 0)
        try await eventually {
            if case .unreadable = scene.follower.record.latest { true } else { false }
        }
        #expect(chmod(scene.directory.file("d"), 0o700) == 0)
        try await scene.sees(1)
        try scene.move(2)
        try await scene.sees(2)
        print("scenario W48 passing right: a directory that may not be passed")
    }
}
