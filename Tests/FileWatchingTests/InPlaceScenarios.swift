import Foundation
import TestSupport
import Testing

@testable import FileWatching

/// Section 1.2 of the table: the file is written where it stands.
@Suite struct InPlaceScenarios {
    @Test func `truncated and written`() async throws {
        let scene = try Scene()
        for number in 2...6 {
            try scene.put(number)
            try await scene.sees(number)
        }
        try await scene.ends("W14", Array(1...6))
    }

    @Test func `truncated and written slowly in parts`() async throws {
        // Given longer than a busy machine takes.
        var times = FileWatcher.GraceTimes()
        times.writer = .seconds(15)
        let scene = try Scene(options: .init(times: times))
        let text = TemporaryDirectory.document(2)
        let descriptor = open(scene.path, O_WRONLY | O_TRUNC | O_CLOEXEC)
        for part in [text.prefix(0), text.prefix(9), text.dropFirst(9)] {
            try TemporaryDirectory.write(part, descriptor)
            try await Task.sleep(for: .milliseconds(300))
        }
        close(descriptor)
        try await scene.ends("W15", [1, 2])
    }

    @Test func `overwritten in two parts of which the first alone makes sense`() async throws {
        // Given longer than a busy machine takes.
        var times = FileWatcher.GraceTimes()
        times.writer = .seconds(15)
        let scene = try Scene(options: .init(times: times))
        let text = TemporaryDirectory.document(2)
        let descriptor = open(scene.path, O_WRONLY | O_CLOEXEC)
        try TemporaryDirectory.write(text.prefix(20), descriptor, at: 0)
        try await Task.sleep(for: .milliseconds(350))
        try TemporaryDirectory.write(text.dropFirst(20), descriptor, at: 20)
        close(descriptor)
        try await scene.ends("W15 overwrite", [1, 2])
    }

    @Test func `appended and closed`() async throws {
        let scene = try Scene { try $0.write("a", to: "d/settings.json") }
        try await scene.shell("printf b >> d/settings.json")
        try await scene.follower.reaches("ab")
        #expect(scene.follower.texts == ["a", "ab"])
        try scene.put(2)
        try await scene.sees(2)
        print("scenario W16 right: appended and closed")
    }

    @Test func `a writer that never closes is taken after two seconds, not before`() async throws {
        let scene = try Scene()
        let descriptor = open(scene.path, O_WRONLY | O_CLOEXEC)
        let begin = ContinuousClock.now
        try TemporaryDirectory.write(TemporaryDirectory.document(2), descriptor, at: 0)
        try await scene.sees(2)
        let taken = ContinuousClock.now - begin
        #expect(taken >= .milliseconds(1950), "after \(taken)")
        try await scene.ends("W17", [1, 2])
        close(descriptor)
    }

    @Test func `a writer that writes without end does not starve the reader`() async throws {
        var times = FileWatcher.GraceTimes()
        times.writer = .milliseconds(200)
        let scene = try Scene(options: .init(times: times))
        let descriptor = open(scene.path, O_WRONLY | O_CLOEXEC)
        defer { close(descriptor) }
        let begin = ContinuousClock.now
        var number = 2
        while scene.follower.texts.count < 3, ContinuousClock.now - begin < .seconds(60) {
            try TemporaryDirectory.write(TemporaryDirectory.document(number), descriptor, at: 0)
            number = 2 + (number - 1) % 7
            try await Task.sleep(for: .milliseconds(5))
        }
        let texts = scene.follower.texts
        #expect(texts.count >= 3)
        #expect(Set(texts).isSubset(of: (1...9).map(TemporaryDirectory.document)))
        print("scenario W17 right: a writer without end: \(texts.count) texts")
    }

    @Test func `stored through a mapping, then unmapped`() async throws {
        let scene = try Scene()
        try Mapping.store(TemporaryDirectory.document(2), scene.path) { _ in }
        try await scene.ends("W18", [1, 2])
    }

    @Test func `stored through a mapping that is kept is seen by the safety poll`() async throws {
        var options = FileWatcher.Options()
        options.intervals.safety = .milliseconds(300)
        let scene = try Scene(options: options)
        let mapping = try Mapping.open(scene.path)
        defer { mapping.close() }
        mapping.store(TemporaryDirectory.document(2))
        try await scene.ends("W18 kept", [1, 2])
    }

    @Test func `opened for append and closed, touched, given another mode: nothing`() async throws {
        let scene = try Scene()
        try await scene.shell(
            ": >> d/settings.json; touch d/settings.json; touch -d 2001-01-01 d/settings.json; "
                + "chmod 600 d/settings.json; chmod 644 d/settings.json")
        try scene.put(2)
        try await scene.ends("W19 W22 W23", [1, 2])
    }

    @Test func `the same bytes written again: nothing`() async throws {
        let scene = try Scene()
        try scene.put(1)
        try scene.move(1)
        try scene.put(2)
        try await scene.ends("W24", [1, 2])
    }

    @Test func `emptied on purpose is empty after half a second, not before`() async throws {
        let scene = try Scene()
        let begin = ContinuousClock.now
        try await scene.shell(": > d/settings.json")
        try await scene.sees(.empty)
        let taken = ContinuousClock.now - begin
        #expect(taken >= .milliseconds(500), "after \(taken)")
        try scene.put(2)
        try await scene.ends("W20", [1, 2], others: [.empty])
    }

    @Test func `a file empty for a moment is never empty`() async throws {
        var times = FileWatcher.GraceTimes()
        times.empty = .seconds(5)
        let scene = try Scene(options: .init(times: times))
        try await scene.shell(": > d/settings.json; sleep 0.2")
        try scene.put(2)
        try await scene.ends("W14 W20", [1, 2])
    }

    @Test func `an edit of the same size that restores the modification time`() async throws {
        let scene = try Scene()
        try await scene.shell(
            "touch -r d/settings.json ref; sed 's/: 1/: 2/g' d/settings.json > new; cat new > d/settings.json; "
                + "touch -r ref d/settings.json")
        try await scene.sees(2)
        try await scene.shell("sed 's/: 2/: 3/g' new > third; touch -r ref third; mv third d/settings.json")
        try await scene.ends("W21", [1, 2, 3])
    }

    @Test func `cp and tee`() async throws {
        let scene = try Scene {
            try $0.put(1); try $0.put(2, "two"); try $0.put(3, "three")
        }
        try await scene.shell("cp two d/settings.json")
        try await scene.sees(2)
        try await scene.shell("tee d/settings.json < three")
        try await scene.ends("W14 cp", [1, 2, 3])
    }
}
