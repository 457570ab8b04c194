import Foundation
import Synchronization
import SystemCalls
import TestSupport
import Testing

@testable import FileWatching

/// The kernel refuses: the watcher polls, says so, and goes back to events when it may.
@Suite struct FaultTests {
    private final class Fault: Sendable {
        let code: Atomic<CInt>
        init(_ code: CInt) { self.code = Atomic(code) }

        /// Whether to fail now; sets `errno`.
        var strikes: Bool {
            let code = code.load(ordering: .sequentiallyConsistent)
            errno = code
            return code != 0
        }
    }

    private func options() -> FileWatcher.Options {
        var options = FileWatcher.Options()
        options.intervals.degraded = .milliseconds(20)
        options.intervals.retry = .milliseconds(200)
        return options
    }

    /// Follows edits under the fault, lifts it, and follows more.
    private func play(_ name: String, _ fault: Fault, _ calls: InotifyCalls, call: String) async throws {
        let directory = try TemporaryDirectory()
        try directory.make("d")
        try directory.put(1)
        let path = directory.file("d/settings.json")
        let source = WatchHubSource(calls: calls)
        let follower = Follower(FileWatcher(path: path, options: options(), source: source))
        let code = fault.code.load(ordering: .relaxed)
        guard case .degraded(let error) = follower.watcher.mode else {
            Issue.record("\(follower.watcher.mode)")
            return
        }
        #expect(error.code == code && error.call == call)
        try directory.put(2)
        try await follower.reaches(TemporaryDirectory.document(2))
        try directory.move(3)
        try await follower.reaches(TemporaryDirectory.document(3))
        try directory.remove()
        try await follower.reaches(.missing)
        try directory.put(4)
        try await follower.reaches(TemporaryDirectory.document(4))
        let looks = follower.record.looks
        fault.code.store(0, ordering: .sequentiallyConsistent)
        try await eventually { follower.watcher.mode == .notified }
        try await eventually { follower.record.looks > looks }
        try directory.move(5)
        try await follower.reaches(TemporaryDirectory.document(5))
        #expect(follower.texts == (1...5).map(TemporaryDirectory.document))
        #expect(follower.record.others == [.missing])
        print("scenario \(name) right: \(call) fails with \(code): \(follower.texts.count) texts")
    }

    @Test(arguments: [EMFILE, ENFILE, ENOSYS]) func `no queue is to be had`(code: CInt) async throws {
        let fault = Fault(code)
        var calls = InotifyCalls()
        let open = calls.open
        calls.open = { fault.strikes ? -1 : open() }
        try await play("W53", fault, calls, call: "inotify_init1")
    }

    @Test(arguments: [ENOSPC, ENOMEM, ENOSYS]) func `no watch is to be had`(code: CInt) async throws {
        let fault = Fault(code)
        var calls = InotifyCalls()
        let add = calls.add
        calls.add = { fault.strikes ? -1 : add($0, $1, $2) }
        try await play("W52", fault, calls, call: "inotify_add_watch")
    }

    @Test func `the watches run out after the first, and what is watched is still followed by polling`() async throws {
        let fault = Fault(ENOSPC)
        var calls = InotifyCalls()
        let add = calls.add
        calls.add = { queue, path, mask in
            // Only the root is granted.
            if String(cString: path) == "/" { return add(queue, path, mask) }
            return fault.strikes ? -1 : add(queue, path, mask)
        }
        try await play("W52 some", fault, calls, call: "inotify_add_watch")
    }

    @Test func `polling by choice: no queue is used, every kind of edit is seen, none is torn`() async throws {
        let directory = try TemporaryDirectory()
        try directory.make("d")
        try directory.put(1)
        var options = FileWatcher.Options(polling: .forced(every: .milliseconds(10)))
        options.times.missing = .milliseconds(60)
        let source = WatchHubSource(calls: InotifyCalls())
        let path = directory.file("d/settings.json")
        let follower = Follower(FileWatcher(path: path, options: options, source: source))
        let hub = source.acquire()
        defer { source.release() }
        #expect(follower.watcher.mode == .polling(.forced))
        #expect(hub.update { state, _ in state.table.isEmpty && state.queue == nil })
        func sees(_ number: Int) async throws { try await follower.reaches(TemporaryDirectory.document(number)) }
        try directory.put(2)
        try await sees(2)
        try directory.move(3)
        try await sees(3)
        try await Shell.run(
            "touch -r d/settings.json ref; sed 's/: 3/: 4/g' d/settings.json > new; cat new > d/settings.json; "
                + "touch -r ref d/settings.json", in: directory.path)
        try await sees(4)
        try directory.remove()
        try await follower.reaches(.missing)
        try directory.put(5)
        try await sees(5)
        // In parts, with less between them than two looks take.
        let text = TemporaryDirectory.document(6)
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        for offset in 0..<text.utf8.count {
            try TemporaryDirectory.write(text.dropFirst(offset).prefix(1), descriptor, at: offset)
            if offset % 8 == 0 { usleep(2000) }
        }
        close(descriptor)
        try await sees(6)
        #expect(follower.texts == (1...6).map(TemporaryDirectory.document))
        #expect(follower.record.others == [.missing])
        // One that wants events has them at once, though the thread sleeps on none yet.
        let other = Follower(FileWatcher(path: path, options: .init(), source: source))
        #expect(other.watcher.mode == .notified)
        try directory.move(7)
        try await other.reaches(TemporaryDirectory.document(7))
        print("scenario W46 right: polling by choice: \(follower.record.looks) looks")
    }
}
