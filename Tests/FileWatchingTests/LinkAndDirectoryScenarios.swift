import Foundation
import SystemCalls
import TestSupport
import Testing

@testable import FileWatching

/// Section 1.3 of the table: links and directories on the way.
@Suite struct LinkAndDirectoryScenarios {
    private func linked() throws -> Scene {
        try Scene {
            try $0.make("v")
            try $0.put(1, "v/1")
            try $0.link("d/settings.json", to: "../v/1")
        }
    }

    @Test func `the target of a link is edited in place`() async throws {
        let scene = try linked()
        try scene.put(2, "v/1")
        try await scene.sees(2)
        try scene.put(3, "v/1")
        try await scene.ends("W26", [1, 2, 3])
    }

    @Test func `the target of a link is replaced`() async throws {
        let scene = try linked()
        try scene.move(2, "v/1")
        try await scene.sees(2)
        try scene.move(3, "v/1")
        try await scene.ends("W27", [1, 2, 3])
    }

    @Test func `a link is swapped, then the new target edited and the old one is not ours`() async throws {
        let scene = try linked()
        try scene.put(2, "v/2")
        try await scene.shell("ln -sfn ../v/2 d/settings.json")
        try await scene.sees(2)
        try scene.put(3, "v/2")
        try await scene.sees(3)
        try scene.put(9, "v/1")
        try scene.move(4, "v/2")
        try await scene.ends("W28 W29", [1, 2, 3, 4])
    }

    @Test func `the middle one of three links is swapped`() async throws {
        let scene = try Scene {
            try $0.make("v")
            try $0.make("m")
            try $0.put(1, "v/1")
            try $0.put(2, "v/2")
            try $0.link("m/middle", to: $0.file("v/1"))
            try $0.link("d/settings.json", to: "../m/middle")
        }
        try await scene.shell("ln -sfn ../v/2 m/middle")
        try await scene.sees(2)
        try scene.put(3, "v/2")
        try await scene.ends("W28 chain", [1, 2, 3])
    }

    @Test func `a ConfigMap is swapped again and again`() async throws {
        let scene = try Scene {
            try $0.make("d/..1")
            try $0.put(1, "d/..1/settings.json")
            try $0.link("d/..data", to: "..1")
            try $0.link("d/settings.json", to: "..data/settings.json")
        }
        func swap(_ number: Int) throws {
            try scene.directory.make("d/..\(number)")
            try scene.put(number, "d/..\(number)/settings.json")
            try scene.directory.link("d/..data_tmp", to: "..\(number)")
            #expect(rename(scene.directory.file("d/..data_tmp"), scene.directory.file("d/..data")) == 0)
            try scene.directory.remove("d/..\(number - 1)")
        }
        for number in 2...4 {
            try swap(number)
            try await scene.sees(number)
        }
        for number in 5...7 { try swap(number) }
        try await scene.ends("W30", Array(1...7), orFewer: true)
    }

    @Test func `a link in the middle of the path is swapped`() async throws {
        let scene = try Scene("current/etc/settings.json") {
            for (release, number) in [("A", 1), ("B", 2)] {
                try $0.make("rel/\(release)/etc")
                try $0.put(number, "rel/\(release)/etc/settings.json")
            }
            try $0.link("current", to: "rel/A")
        }
        try scene.directory.link("next", to: "rel/B")
        #expect(rename(scene.directory.file("next"), scene.directory.file("current")) == 0)
        try await scene.sees(2)
        try scene.put(9, "rel/A/etc/settings.json")
        try scene.put(3, "rel/B/etc/settings.json")
        try await scene.ends("W32", [1, 2, 3])
    }

    @Test func `the directory is renamed away and made again, and edits there are not ours`() async throws {
        let scene = try Scene()
        #expect(rename(scene.directory.file("d"), scene.directory.file("d.old")) == 0)
        try scene.directory.make("d")
        try scene.put(2)
        try await scene.sees(2)
        try scene.put(9, "d.old/settings.json")
        try scene.put(3)
        try await scene.ends("W33", [1, 2, 3])
    }

    @Test func `the directory is removed and made again`() async throws {
        let scene = try Scene()
        try scene.directory.remove("d")
        try scene.directory.make("d")
        try scene.put(2)
        try await scene.sees(2)
        try scene.move(3)
        try await scene.ends("W34", [1, 2, 3])
    }

    @Test func `the directory is removed for long`() async throws {
        let scene = try Scene()
        try scene.directory.remove("d")
        try await scene.sees(.missing)
        try scene.directory.make("d")
        try scene.move(2)
        try await scene.ends("W34 long", [1, 2], others: [.missing])
    }

    @Test func `the directory above is renamed away and made again`() async throws {
        let scene = try Scene("g/h/settings.json") {
            try $0.make("g/h")
            try $0.put(1, "g/h/settings.json")
        }
        #expect(rename(scene.directory.file("g"), scene.directory.file("g.old")) == 0)
        try scene.directory.make("g/h")
        try scene.put(2, "g/h/settings.json")
        try await scene.sees(2)
        try scene.put(9, "g.old/h/settings.json")
        try scene.put(3, "g/h/settings.json")
        try await scene.ends("W35", [1, 2, 3])
    }

    @Test func `a whole directory is moved in`() async throws {
        let scene = try Scene {
            try $0.put(1)
            try $0.make("e")
            try $0.put(2, "e/settings.json")
        }
        #expect(rename(scene.directory.file("d"), scene.directory.file("d.old")) == 0)
        #expect(rename(scene.directory.file("e"), scene.directory.file("d")) == 0)
        try await scene.sees(2)
        try scene.put(3)
        try await scene.ends("W36", [1, 2, 3])
    }

    @Test func `edited through another hard link in another directory`() async throws {
        let scene = try Scene {
            try $0.put(1)
            try $0.make("o")
            try FileManager.default.linkItem(atPath: $0.file("d/settings.json"), toPath: $0.file("o/x"))
        }
        try scene.put(2, "o/x")
        try await scene.sees(2)
        try scene.put(3, "o/x")
        try await scene.ends("W37", [1, 2, 3])
    }

    @Test func `file and directories are missing at the start`() async throws {
        let scene = try Scene("x/y/settings.json") { _ in }
        try scene.directory.make("x/y")
        try scene.put(1, "x/y/settings.json")
        try await scene.sees(1)
        #expect(try scene.directory.names() == ["d", "x"])
        try scene.move(2, "x/y/settings.json")
        try await scene.ends("W38 W64", [1, 2], others: [.missing])
    }

    @Test func `a link that leads nowhere, then somewhere`() async throws {
        let scene = try Scene { try $0.link("d/settings.json", to: "../later/file") }
        #expect(scene.follower.record.latest == .missing)
        try scene.directory.make("later")
        try scene.put(1, "later/file")
        try await scene.ends("W38 link", [1], others: [.missing])
    }

    @Test func `a link to itself is unreadable, then a file`() async throws {
        let scene = try Scene { try $0.link("d/settings.json", to: "settings.json") }
        guard case .unreadable(let error) = scene.follower.record.latest else {
            Issue.record("\(scene.follower.record.latest)")
            return
        }
        #expect(error.code == ELOOP)
        try scene.move(1)
        try await scene.ends("W38 loop", [1], others: [.unreadable(error)])
    }

    @Test func `a path with spaces, dots and a trailing newline in a name`() async throws {
        let scene = try Scene("a b%20/./../a b%20/set tings\n") {
            try $0.make("a b%20")
            try $0.put(1, "a b%20/set tings\n")
        }
        try scene.move(2, "a b%20/set tings\n")
        try await scene.sees(2)
        try scene.put(3, "a b%20/set tings\n")
        try await scene.ends("W65", [1, 2, 3])
    }
}
