import Foundation
import TestSupport
import Testing

@testable import FileWatching

/// Section 1.1 of the table: the file is replaced by rename, or deleted and made again.
@Suite struct ReplacementScenarios {
    @Test func `a rename over the file`() async throws {
        let scene = try Scene()
        for number in 2...4 {
            try scene.move(number)
            try await scene.sees(number)
        }
        try await scene.ends("W1", [1, 2, 3, 4])
    }

    @Test func `two renames back to back`() async throws {
        let scene = try Scene()
        for number in stride(from: 2, to: 42, by: 2) {
            try scene.move(number)
            try scene.move(number + 1)
            try await scene.sees(number + 1)
        }
        try await scene.ends("W8", Array(1...41), orFewer: true)
    }

    @Test func `removed and soon made again is never missing`() async throws {
        // A grace that a busy machine does not outlast.
        var times = FileWatcher.GraceTimes()
        times.missing = .seconds(5)
        let scene = try Scene(options: .init(times: times))
        try await scene.sees(1)
        try scene.directory.remove()
        // Not a suspension, which on a busy machine may last longer than any grace.
        usleep(20_000)
        try scene.put(2)
        try await scene.ends("W7", [1, 2])
    }

    @Test func `removed for long is missing, then there again`() async throws {
        let scene = try Scene()
        try scene.directory.remove()
        try await scene.sees(.missing)
        try scene.put(2)
        try await scene.sees(2)
        try scene.directory.remove()
        try await scene.sees(.missing)
        try scene.move(3)
        try await scene.ends("W7 long", [1, 2, 3], others: [.missing, .missing])
    }

    @Test func `exchanged with another file`() async throws {
        let scene = try Scene {
            try $0.put(1); try $0.put(2, "d/other")
        }
        #expect(Exchange.names(scene.path, scene.directory.file("d/other")) == 0)
        try await scene.sees(2)
        try scene.put(9, "d/other")
        try scene.put(3)
        try await scene.ends("W9", [1, 2, 3])
    }

    @Test func `replaced while it has another hard link`() async throws {
        let scene = try Scene {
            try $0.put(1)
            try FileManager.default.linkItem(atPath: $0.file("d/settings.json"), toPath: $0.file("other"))
        }
        try scene.move(2)
        try await scene.sees(2)
        try scene.move(3)
        try await scene.ends("W10", [1, 2, 3])
    }

    @Test func `replaced while a process holds it open, whose writes are not ours`() async throws {
        let scene = try Scene()
        let descriptor = open(scene.path, O_RDWR | O_CLOEXEC)
        defer { close(descriptor) }
        try scene.move(2)
        try await scene.sees(2)
        try TemporaryDirectory.write(TemporaryDirectory.document(9), descriptor, at: 0)
        try scene.move(3)
        try await scene.ends("W11", [1, 2, 3])
    }

    @Test func `moved away, edited there, and moved back`() async throws {
        let scene = try Scene()
        let aside = scene.directory.file("d/aside")
        #expect(rename(scene.path, aside) == 0)
        try await scene.sees(.missing)
        try scene.put(2, "d/aside")
        #expect(scene.follower.record.latest == .missing)
        #expect(rename(aside, scene.path) == 0)
        try await scene.ends("W12", [1, 2], others: [.missing])
    }

    @Test func `made by a hard link`() async throws {
        let scene = try Scene {
            try $0.put(1); try $0.put(2, "new")
        }
        try scene.directory.remove()
        try await scene.sees(.missing)
        #expect(link(scene.directory.file("new"), scene.path) == 0)
        try await scene.ends("W13", [1, 2], others: [.missing])
    }

    @Test func `made by a symbolic link whose target is then edited`() async throws {
        let scene = try Scene {
            try $0.put(1); try $0.put(2, "new")
        }
        try scene.directory.remove()
        try await scene.sees(.missing)
        try scene.directory.link("d/settings.json", to: "../new")
        try await scene.sees(2)
        try scene.put(3, "new")
        try await scene.ends("W13 link", [1, 2, 3], others: [.missing])
    }

    @Test(.enabled(if: Shell.has("sed"))) func `sed -i and sed -i.bak`() async throws {
        let scene = try Scene()
        try await scene.shell("sed -i 's/: 1/: 2/g' d/settings.json")
        try await scene.sees(2)
        try await scene.shell("sed -i.bak 's/: 2/: 3/g' d/settings.json")
        try await scene.sees(3)
        try await scene.shell("echo garbage > d/settings.json.bak")
        try await scene.shell("sed -i.bak 's/: 3/: 4/g' d/settings.json")
        try await scene.ends("W6", [1, 2, 3, 4])
    }

    @Test(.enabled(if: Shell.has("install"))) func `install and cp --remove-destination`() async throws {
        let scene = try Scene {
            try $0.put(1); try $0.put(2, "two"); try $0.put(3, "three")
        }
        try await scene.shell("install -m644 two d/settings.json")
        try await scene.sees(2)
        try await scene.shell("cp --remove-destination three d/settings.json")
        try await scene.ends("W7 install", [1, 2, 3])
    }

    @Test(.enabled(if: Shell.has("git"))) func `git checkout`() async throws {
        let scene = try Scene { try $0.put(1) }
        let git = "git -c user.name=n -c user.email=e -C d"
        try await scene.shell(
            "\(git) init -q && \(git) add . && \(git) commit -qm 1 && \(git) tag one && sed -i 's/: 1/: 2/g' "
                + "d/settings.json && \(git) commit -qam 2")
        try await scene.sees(2)
        try await scene.shell("\(git) checkout -q one")
        try await scene.ends("W1 git", [1, 2, 1])
    }

    @Test(.enabled(if: Shell.has("rsync"))) func `rsync`() async throws {
        let scene = try Scene {
            try $0.put(1); try $0.put(2, "new")
        }
        try await scene.shell("rsync --checksum new d/settings.json")
        try await scene.ends("W1 rsync", [1, 2])
    }
}
