import Foundation
import TestSupport
import Testing

@testable import FileWatching

@Suite struct MountTests {
    @Test(.enabled(if: ChildTests.canMakeMountNamespaces, "needs root for a mount namespace of its own"))
    func `mounts over the path, below it and of the file alone, in a mount namespace of its own`() async throws {
        try await ChildTests.run("MountScenarios", as: .mounts)
    }
}

/// Section 1.4 of the table. Run in a private mount namespace, in a process of its own.
@Suite(.enabled(if: ChildTests.current == .mounts), .serialized) struct MountScenarios {
    @Test func `a file mounted alone, edited in place on the other side`() async throws {
        let scene = try Scene {
            try $0.put(1)
            try $0.make("h")
            try $0.put(1, "h/a")
            try $0.mount("mount --bind h/a d/settings.json")
        }
        try scene.put(2, "h/a")
        try await scene.sees(2)
        try scene.put(3, "h/a")
        try await scene.ends("W39", [1, 2, 3])
        try scene.directory.mount("umount d/settings.json")
    }

    @Test func `a file mounted alone, replaced on the other side: nothing can be seen, but that it is stale`()
        async throws
    {
        let scene = try Scene {
            try $0.put(1)
            try $0.make("h")
            try $0.put(1, "h/a")
            try $0.mount("mount --bind h/a d/settings.json")
        }
        #expect(!scene.follower.watcher.isStaleMount)
        try scene.move(2, "h/a")
        try await eventually { scene.follower.watcher.isStaleMount }
        try await scene.ends("W31 W40", [1])
        try scene.directory.mount("umount d/settings.json")
    }

    @Test func `a directory mounted, edited on the other side`() async throws {
        let scene = try Scene {
            try $0.make("h")
            try $0.put(1, "h/settings.json")
            try $0.mount("mount --bind h d")
        }
        try scene.move(2, "h/settings.json")
        try await scene.ends("W39 directory", [1, 2])
        try scene.directory.mount("umount d")
    }

    @Test func `another directory mounted over, edited, and unmounted`() async throws {
        let scene = try Scene {
            try $0.put(1)
            try $0.make("e")
            try $0.put(2, "e/settings.json")
        }
        try await scene.shell("mount --bind e d")
        try await scene.sees(2)
        try scene.put(3)
        try await scene.sees(3)
        try await scene.shell("umount d")
        try await scene.ends("W42 W43", [1, 2, 3, 1])
    }

    @Test func `another file mounted over, and unmounted`() async throws {
        let scene = try Scene {
            try $0.put(1)
            try $0.put(2, "e")
        }
        try await scene.shell("mount --bind e d/settings.json")
        try await scene.sees(2)
        try await scene.shell("umount d/settings.json")
        try await scene.ends("W42 W43 file", [1, 2, 1])
    }

    @Test func `another file system mounted over, and unmounted`() async throws {
        let scene = try Scene()
        try await scene.shell("mount -t tmpfs none d")
        try await scene.sees(.missing)
        try scene.put(2)
        try await scene.sees(2)
        try await scene.shell("umount -l d")
        try await scene.ends("W43", [1, 2, 1], others: [.missing])
    }

    @Test func `an overlay edited through itself, in place and by rename`() async throws {
        let scene = try overlay()
        guard case .polling(.fileSystem) = scene.follower.watcher.mode else {
            Issue.record("\(scene.follower.watcher.mode)")
            return
        }
        try scene.put(2)
        try await scene.sees(2)
        try scene.move(3)
        try await scene.ends("W44", [1, 2, 3])
        try scene.directory.mount("umount d")
    }

    @Test func `an overlay edited underneath is seen by the poll`() async throws {
        let scene = try overlay()
        try scene.put(2, "lo/settings.json")
        try await scene.ends("W45", [1, 2])
        try scene.directory.mount("umount d")
    }

    private func overlay() throws -> Scene {
        try Scene {
            for name in ["lo", "up", "wk"] { try $0.make(name) }
            try $0.put(1, "lo/settings.json")
            try $0.mount("mount -t overlay o -olowerdir=lo,upperdir=up,workdir=wk d")
        }
    }
}

extension TemporaryDirectory {
    /// Runs a mount command in the directory and waits for it.
    fileprivate func mount(_ command: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        process.currentDirectoryURL = URL(fileURLWithPath: path)
        try process.run()
        process.waitUntilExit()
        if process.terminationStatus != 0 { throw Shell.Failed(command: command, output: "") }
    }
}
