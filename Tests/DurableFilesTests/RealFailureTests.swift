import DurableFiles
import Foundation
import SystemCalls
import TestSupport
import Testing

/// File systems that are full, read-only or mounted strangely, and users without rights: the real ones.
@Suite struct RealFailureTests {
    let directory: QuickDirectory

    init() throws { directory = try QuickDirectory() }

    private static let needsMounts = "needs the right to mount (root)"
    private static let needsRoot = "needs root, to give rights up"

    @Test(.enabled(if: PrivateMounts.isAllowed, Comment(rawValue: needsMounts)))
    func `on a full disk the file stays whole, nothing is left, and it works again when there is room`() async throws {
        let directory = directory
        try await within {
            try await PrivateMounts.run {
                try PrivateMounts.mount("tmpfs", on: directory.path, type: "tmpfs", options: "size=64k")
                let old = String(repeating: "o", count: 8192)
                try directory.write(old)
                // Fill what is left.
                let filler = directory.file("filler")
                _ = FileManager.default.createFile(atPath: filler, contents: nil)
                let handle = try #require(FileHandle(forWritingAtPath: filler))
                while (try? handle.write(contentsOf: Data(repeating: 0, count: 1024))) != nil {}
                try handle.close()

                let new = String(repeating: "n", count: 8192)
                let error = #expect(throws: DurableFileError.self) { try DurableFile(directory).write(new) }
                #expect(error?.code == .noSpace)
                #expect(error?.cause?.code == ENOSPC)
                #expect(try directory.read() == old)
                #expect(try directory.names() == ["filler", "settings.json"])
                // Reading goes on.
                #expect(try DurableFile(directory).withLock { try $0.read().text } == old)
                let first = #expect(throws: DurableFileError.self) {
                    try DurableFile(directory, "first.json").write(new)
                }
                #expect(first?.code == .noSpace)
                #expect(try directory.names() == ["filler", "settings.json"])

                unlink(filler)
                try DurableFile(directory).write(new)
                #expect(try directory.read() == new)
                #expect(try directory.names() == ["settings.json"])
            }
        }
    }

    @Test(.enabled(if: PrivateMounts.isAllowed, Comment(rawValue: needsMounts)))
    func `a read-only file system is told as such`() async throws {
        let directory = directory
        try await within {
            try await PrivateMounts.run {
                try PrivateMounts.mount("tmpfs", on: directory.path, type: "tmpfs")
                try directory.write("old")
                try PrivateMounts.mount(
                    "tmpfs", on: directory.path, flags: PrivateMounts.remount | PrivateMounts.readOnly)
                let error = #expect(throws: DurableFileError.self) { try DurableFile(directory).write("new") }
                #expect(error?.code == .readOnly)
                #expect(try DurableFile(directory).withLock { try $0.read().text } == "old")
            }
        }
    }

    @Test(.enabled(if: PrivateMounts.isAllowed, Comment(rawValue: needsMounts)))
    func `a file that is mounted alone is written in place, longer and shorter, and locked itself`() async throws {
        let directory = directory
        try await within {
            try await PrivateMounts.run {
                try directory.write("old", to: "host.json")
                try directory.write("")
                try PrivateMounts.mount(
                    directory.file("host.json"), on: directory.file("settings.json"), flags: PrivateMounts.bind)
                #expect(try DurableFile(directory).write("a longer text").method == .inPlace(.mountPoint))
                #expect(try directory.read("host.json") == "a longer text")
                #expect(try DurableFile(directory).write("x").method == .inPlace(.mountPoint))
                #expect(try directory.read("host.json") == "x")
                #expect(try directory.names() == ["host.json", "settings.json"])

                // Seen from elsewhere the directory is another one, but the file is the same.
                mkdir(directory.file("elsewhere"), 0o755)
                try directory.write("", to: "elsewhere/settings.json")
                try PrivateMounts.mount(
                    directory.file("host.json"), on: directory.file("elsewhere/settings.json"),
                    flags: PrivateMounts.bind)
                try DurableFile(directory).withLock { _ in
                    let other = DurableFile(directory, "elsewhere/settings.json") { $0.lockTimeout = .milliseconds(20) }
                    let error = #expect(throws: DurableFileError.self) { try other.withLock { _ in } }
                    #expect(error?.code == .lockTimedOut)
                }
            }
        }
    }

    @Test(.enabled(if: PrivateMounts.isAllowed, Comment(rawValue: needsMounts)))
    func `a file that is mounted alone and read-only is told as read-only`() async throws {
        let directory = directory
        try await within {
            try await PrivateMounts.run {
                try directory.write("old", to: "host.json")
                try directory.write("")
                let path = directory.file("settings.json")
                try PrivateMounts.mount(directory.file("host.json"), on: path, flags: PrivateMounts.bind)
                try PrivateMounts.mount(
                    "none", on: path, flags: PrivateMounts.bind | PrivateMounts.remount | PrivateMounts.readOnly)
                let error = #expect(throws: DurableFileError.self) { try DurableFile(directory).write("new") }
                #expect(error?.code == .readOnly)
                #expect(try directory.read() == "old")
                #expect(try directory.names() == ["host.json", "settings.json"])
            }
        }
    }

    @Test(.enabled(if: PrivateMounts.isAllowed, Comment(rawValue: needsMounts)))
    func `a mounted file that outgrows a full disk stays whole`() async throws {
        let directory = directory
        try await within {
            try await PrivateMounts.run {
                mkdir(directory.file("disk"), 0o755)
                try PrivateMounts.mount("tmpfs", on: directory.file("disk"), type: "tmpfs", options: "size=16k")
                try directory.write("old", to: "disk/host.json")
                try directory.write("")
                try PrivateMounts.mount(
                    directory.file("disk/host.json"), on: directory.file("settings.json"), flags: PrivateMounts.bind)
                let recorder = Recorder()
                let error = #expect(throws: DurableFileError.self) {
                    try DurableFile(directory) { $0.calls = recorder.seam }
                        .write(String(repeating: "n", count: 32_768))
                }
                #expect(error?.code == .noSpace)
                // The room was asked for before anything was written over.
                #expect(!recorder.asked.contains { $0.name == .pwrite })
                #expect(try directory.read() == "old")
            }
        }
    }

    @Test(.enabled(if: geteuid() == 0, Comment(rawValue: needsRoot)))
    func `in a directory that takes no new names a writable file is written in place`() async throws {
        let path = try directory.write("old")
        chmod(path, 0o666)
        chmod(directory.path, 0o755)
        let directory = directory
        try await within {
            try await PrivateMounts.runAsNobody {
                let done = try DurableFile(directory).write("new")
                #expect(done.method == .inPlace(.directoryNotWritable))
                let made = #expect(throws: DurableFileError.self) { try DurableFile(directory, "b.json").write("new") }
                #expect(made?.code == .permission)
            }
        }
        #expect(try directory.read() == "new")
        #expect(try directory.names() == ["settings.json"])
    }

    @Test(.enabled(if: geteuid() == 0, Comment(rawValue: needsRoot)))
    func `a file and a directory that may not be written are an error that names the directory's refusal`() async throws
    {
        let path = try directory.write("old")
        chmod(path, 0o644)
        chmod(directory.path, 0o755)
        let directory = directory
        try await within {
            try await PrivateMounts.runAsNobody {
                let error = #expect(throws: DurableFileError.self) { try DurableFile(directory).write("new") }
                #expect(error?.code == .permission)
                #expect(error?.cause?.call == "openat")
                #expect(error?.cause?.code == EACCES)
                let text = try DurableFile(directory).withLock { try $0.read().text }
                #expect(text == "old")
            }
        }
    }

    @Test(.enabled(if: geteuid() == 0, Comment(rawValue: needsRoot)))
    func `in a directory where only owners may rename another's writable file is written in place`() async throws {
        let path = try directory.write("old")
        chmod(path, 0o666)
        chmod(directory.path, 0o1777)
        let directory = directory
        try await within {
            try await PrivateMounts.runAsNobody {
                let done = try DurableFile(directory).write("new")
                #expect(done.method == .inPlace(.directoryNotWritable))
            }
        }
        #expect(try directory.read() == "new")
        #expect(try directory.names() == ["settings.json"])
    }

    @Test(.enabled(if: geteuid() == 0, Comment(rawValue: needsRoot)))
    func `a file of mode 000 is an error for those without rights, and stays`() async throws {
        let path = try directory.write("old")
        chmod(path, 0o000)
        chmod(directory.path, 0o777)
        let directory = directory
        try await within {
            try await PrivateMounts.runAsNobody {
                let error = #expect(throws: DurableFileError.self) { try DurableFile(directory).write("new") }
                #expect(error?.code == .permission)
            }
        }
        #expect(try directory.read() == "old")
        #expect(try directory.names() == ["settings.json"])
    }

    @Test func `on a network file system the lock is told to be no promise, and even a quick write is synced`() throws {
        try directory.write("old")
        let network = Recorder { call, _ in call.name == .fstatfs ? .pretend(0x6969) : .proceed }
        let done = try DurableFile(directory) {
            $0.calls = network.seam
            $0.durability = .renamed
        }.write("new")
        #expect(done.notExclusive)
        #expect(network.done.contains { $0.name == .fsync })
        #expect(try !DurableFile(directory).write("newer").notExclusive)
    }
}
