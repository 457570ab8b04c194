import Foundation
import TestSupport
import Testing

@testable import FileWatching

/// Edits without pause. What is read must be one of the texts that were written, and in the end the last.
@Suite(.serialized) struct StormScenarios {
    @Test func `300 edits in place without pause`() async throws {
        let scene = try Scene { try $0.put(0) }
        try await offPool { for number in 1...300 { try scene.put(number) } }
        try await scene.ends("W25", Array(0...300), orFewer: true)
    }

    @Test func `300 edits in place, each empty for up to a millisecond`() async throws {
        let scene = try Scene { try $0.put(0) }
        try await offPool {
            for number in 1...300 {
                let descriptor = open(scene.path, O_WRONLY | O_TRUNC | O_CLOEXEC)
                usleep(useconds_t.random(in: 0...1000))
                try TemporaryDirectory.write(TemporaryDirectory.document(number), descriptor)
                close(descriptor)
                usleep(useconds_t.random(in: 0...1000))
            }
        }
        try await scene.ends("W25 empty", Array(0...300), orFewer: true)
    }

    @Test func `300 renames without pause, then 300 with a short one`() async throws {
        let scene = try Scene { try $0.put(0) }
        try await offPool {
            for number in 1...300 { try scene.move(number) }
            for number in 301...600 {
                try scene.move(number)
                usleep(1000)
            }
        }
        try await scene.ends("W25 renames", Array(0...600), orFewer: true)
    }

    @Test func `300 times removed and made again without pause`() async throws {
        let scene = try Scene { try $0.put(0) }
        try await offPool {
            for number in 1...300 {
                unlink(scene.path)
                try scene.put(number)
            }
        }
        try await scene.ends("W25 W7", Array(0...300), orFewer: true)
    }

    @Test func `the queue overflows while nobody reads it, and every watcher looks again`() async throws {
        let source = WatchHubSource(calls: InotifyCalls())
        let directory = try TemporaryDirectory()
        try directory.make("d")
        try directory.put(1)
        let options = FileWatcher.Options().withoutSafetyPoll
        let follower = Follower(FileWatcher(path: directory.file("d/settings.json"), options: options, source: source))
        let other = Follower(FileWatcher(path: directory.file("other"), options: options, source: source))
        let hub = source.acquire()
        defer { source.release() }
        // Under the lock nobody reads the queue, which holds 16,384 events.
        let result: Result<Void, any Error> = hub.update { _, _ in
            for number in 0..<9000 {
                let name = directory.file("d/noise\(number % 2)")
                close(open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644))
                unlink(name)
            }
            return Result {
                try directory.put(2)
                try directory.put(7, "other")
            }
        }
        try result.get()
        try await follower.reaches(TemporaryDirectory.document(2))
        try await other.reaches(TemporaryDirectory.document(7))
        try directory.move(3)
        try await follower.reaches(TemporaryDirectory.document(3))
        #expect(follower.texts == [1, 2, 3].map(TemporaryDirectory.document))
        print("scenario W51 right: the queue overflows: \(follower.record.looks) looks")
    }

    /// Runs what blocks on a thread that may be blocked.
    private func offPool(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            DispatchQueue.global().async { continuation.resume(with: Result { try body() }) }
        }
    }
}
