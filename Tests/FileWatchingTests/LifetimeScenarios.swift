import Foundation
import Synchronization
import TestSupport
import Testing

@testable import FileWatching

@Suite struct LifetimeTests {
    @Test(.enabled(if: ChildTests.current == nil))
    func `threads and descriptors, counted in a process of their own`() async throws {
        try await ChildTests.run("LifetimeScenarios", as: .alone)
    }

    @Test func `a signal's consumer may stop the watcher, and gets nothing more`() async throws {
        let directory = try TemporaryDirectory()
        let watcher = FileWatcher(path: try directory.write("1"), options: .init())
        let isOver = Flag()
        let writer = Task.detached {
            var number = 0
            while !isOver.isSet {
                number += 1
                try directory.replace(with: "\(number)")
            }
        }
        let count = try await within {
            var count = 0
            for await _ in watcher.signals {
                count += 1
                if count == 3 {
                    watcher.stop()
                    watcher.stop()
                }
            }
            return count
        }
        isOver.set()
        try await writer.value
        #expect(count == 3)
        #expect(watcher.mode == .notified)
    }

    @Test func `a cancelled consumer's stream ends, and the watcher lives on`() async throws {
        let directory = try TemporaryDirectory()
        let watcher = FileWatcher(path: try directory.write("1"), options: .init())
        let task = Task { for await _ in watcher.signals {} }
        task.cancel()
        try await within { await task.value }
        try directory.replace(with: "2")
        try await eventually { watcher.read() == .content(Array("2".utf8)) }
    }

    @Test func `a watcher that nobody holds is stopped`() async throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("1")
        let source = WatchHubSource(calls: InotifyCalls())
        var watcher: FileWatcher? = FileWatcher(path: path, options: .init(), source: source)
        let signals = try #require(watcher?.signals)
        let hub = source.acquire()
        defer { source.release() }
        watcher = nil
        try await within { for await _ in signals {} }
        #expect(hub.update { state, _ in state.subscriptions.isEmpty && state.table.isEmpty })
    }

    @Test func `two watchers of one file share a watch, and one may stop`() async throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("1")
        let link = directory.file("link")
        try directory.link("link", to: "settings.json")
        let first = Follower(path)
        let second = Follower(path)
        let third = Follower(link)
        try directory.write("2")
        for follower in [first, second, third] { try await follower.reaches("2") }
        first.watcher.stop()
        try directory.replace(with: "3")
        for follower in [second, third] { try await follower.reaches("3") }
        third.watcher.stop()
        try directory.write("4")
        try await second.reaches("4")
        #expect(first.texts == ["1", "2"])
        print("scenario W60 right: two watchers of one file")
    }

    final class Flag: Sendable {
        private let value = Atomic(false)
        var isSet: Bool { value.load(ordering: .acquiring) }
        func set() { value.store(true, ordering: .releasing) }
    }
}

/// Run alone in a process, so that what is counted is what the watchers use.
@Suite(.enabled(if: ChildTests.current == .alone), .serialized) struct LifetimeScenarios {
    private struct Census: Equatable {
        let descriptors: [String]
        let hubThreads: Int

        /// The descriptors of kinds that the hub uses, and the threads that are the hub's.
        static func take() -> Census {
            let manager = FileManager.default
            let numbers = (try? manager.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
            let targets = numbers.compactMap { try? manager.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
            let threads = (try? manager.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
            let names = threads.compactMap {
                try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)
            }
            return Census(
                descriptors: targets.filter { $0.contains("inotify") || $0.contains("mountinfo") }.sorted(),
                hubThreads: names.filter { $0.hasPrefix("rheostat-watch") }.count)
        }

        static var openDescriptors: Int {
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
        }
    }

    @Test func `one watcher: one queue, one thread, and none after it has stopped`() async throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("1")
        var counts: [Int] = []
        for _ in 0..<4 {
            let watcher = FileWatcher(path: path, options: .init())
            // The thread gives itself its name, and leaves /proc a moment after it was joined.
            try await eventually { Census.take().hubThreads == 1 }
            #expect(Census.take().descriptors.filter { $0.contains("inotify") }.count == 1)
            watcher.stop()
            #expect(Census.take().descriptors == [])
            try await eventually { Census.take().hubThreads == 0 }
            counts.append(Census.openDescriptors)
        }
        // The runtime opens some of its own, for its first timers; what a watcher left would be there each time.
        #expect(counts[2] == counts[3])
        print("scenario W62 right: nothing is left after the last watcher")
    }

    @Test func `200 watchers in one directory share one queue, and the last one works when 199 have stopped`()
        async throws
    {
        let directory = try TemporaryDirectory()
        for number in 0..<200 { try directory.write("1", to: "f\(number)") }
        let watchers = (0..<200).map { FileWatcher(path: directory.file("f\($0)"), options: .init()) }
        try await eventually { Census.take().hubThreads == 1 }
        #expect(Census.take().descriptors.filter { $0.contains("inotify") }.count == 1)
        let last = Follower(watchers[199])
        for watcher in watchers.dropLast() { watcher.stop() }
        try directory.replace("f199", with: "2")
        try await last.reaches("2")
        last.watcher.stop()
        #expect(Census.take().descriptors == [])
        try await eventually { Census.take().hubThreads == 0 }
        print("scenario W60 right: 200 watchers in one directory")
    }

    @Test func `1,000 watchers come and go while files change and other descriptors are opened`() async throws {
        let directory = try TemporaryDirectory()
        for number in 0..<8 { try directory.write("0", to: "f\(number)") }
        // The concurrency runtime opens a descriptor of its own for its first timer.
        try await Task.sleep(for: .milliseconds(1))
        let before = Census.openDescriptors
        let isOver = LifetimeTests.Flag()
        let writer = Task.detached {
            var number = 0
            while !isOver.isSet {
                number += 1
                try directory.replace("f\(number % 8)", with: "\(number)")
                try directory.write("\(number)", to: "f\((number + 3) % 8)")
                // A number that a queue had must not be confused with one of ours.
                close(open("/dev/null", O_RDONLY | O_CLOEXEC))
                if number % 16 == 0 { try await Task.sleep(for: .milliseconds(1)) }
            }
        }
        let begin = ContinuousClock.now
        await withTaskGroup(of: Void.self) { group in
            for lane in 0..<8 {
                group.addTask {
                    for _ in 0..<125 {
                        let watcher = FileWatcher(path: directory.file("f\(lane)"), options: .init())
                        _ = watcher.read()
                        if Bool.random() { for await _ in watcher.signals { break } }
                        watcher.stop()
                    }
                }
            }
        }
        let taken = ContinuousClock.now - begin
        isOver.set()
        try await writer.value
        #expect(Census.take().descriptors == [])
        try await eventually { Census.take().hubThreads == 0 }
        #expect(Census.openDescriptors == before)
        print("scenario W62 right: 1,000 watchers came and went in \(taken)")
    }

    @Test func `a child process inherits nothing`() async throws {
        let directory = try TemporaryDirectory()
        let watcher = FileWatcher(path: try directory.write("1"), options: .init())
        defer { watcher.stop() }
        // By posix_spawn itself: Foundation's Process may close what was left open.
        let list = directory.file("list")
        var child = pid_t()
        let words = ["/bin/sh", "-c", "ls -l /proc/self/fd > '\(list)'"]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        #expect(posix_spawn(&child, "/bin/sh", nil, nil, &arguments, environ) == 0)
        var status: CInt = 0
        #expect(waitpid(child, &status, 0) == child)
        let open = try String(contentsOfFile: list, encoding: .utf8)
        #expect(open.contains("->"))
        for kind in ["inotify", "eventfd", "mountinfo"] { #expect(!open.contains(kind), "\(open)") }
        print("scenario W54 right: a child process inherits nothing")
    }
}
