import DurableFiles
import Foundation
import SystemCalls
import Testing

/// The file that is replaced is the one the path leads to, and it keeps what it is besides its content.
@Suite struct LinkAndRightsTests {
    let directory: QuickDirectory

    init() throws { directory = try QuickDirectory() }

    private func link(_ name: String, to destination: String) {
        #expect(symlink(destination, directory.file(name)) == 0)
    }

    private func destination(_ name: String) throws -> String {
        try FileManager.default.destinationOfSymbolicLink(atPath: directory.file(name))
    }

    @Test func `a relative link stays one and its target is replaced`() throws {
        mkdir(directory.file("sub"), 0o777)
        try directory.write("old", to: "sub/real.json")
        link("settings.json", to: "sub/real.json")
        try DurableFile(directory).withLock { #expect($0.target == directory.file("sub/real.json")) }
        try DurableFile(directory).write("new")
        #expect(try destination("settings.json") == "sub/real.json")
        #expect(try directory.read("sub/real.json") == "new")
    }

    @Test func `an absolute link and a chain of links stay and the last target is replaced`() throws {
        mkdir(directory.file("sub"), 0o777)
        try directory.write("old", to: "sub/real.json")
        link("second.json", to: directory.file("sub/third.json"))
        link("sub/third.json", to: "real.json")
        link("settings.json", to: "second.json")
        try DurableFile(directory).write("new")
        #expect(try directory.read("sub/real.json") == "new")
        #expect(try destination("settings.json") == "second.json")
        #expect(try destination("sub/third.json") == "real.json")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.file("sub")).count == 2)
    }

    @Test func `through a dangling link its target is made, with directories`() throws {
        link("settings.json", to: "state/real.json")
        try DurableFile(directory).write("new")
        #expect(try destination("settings.json") == "state/real.json")
        #expect(try directory.read("state/real.json") == "new")
    }

    @Test func `links in a circle are an error`() throws {
        link("settings.json", to: "other.json")
        link("other.json", to: "settings.json")
        let error = #expect(throws: DurableFileError.self) { try DurableFile(directory).write("new") }
        #expect(error?.code == .notAFile)
        #expect(error?.cause?.code == ELOOP)
        #expect(error?.file == directory.file("settings.json"))
    }

    @Test func `a directory that is a link leading nowhere is an error and no endless loop`() throws {
        link("state", to: "nowhere/at/all")
        let file = DurableFile(directory, "state/settings.json")
        let error = #expect(throws: DurableFileError.self) { try file.write("new") }
        #expect(error?.code == .io)
    }

    @Test func `two files through different links to one exclude each other`() throws {
        mkdir(directory.file("sub"), 0o777)
        try directory.write("old", to: "sub/real.json")
        link("one.json", to: "sub/real.json")
        link("sub/two.json", to: "real.json")
        try DurableFile(directory, "one.json").withLock { _ in
            let other = DurableFile(directory, "sub/two.json") { $0.lockTimeout = .milliseconds(20) }
            let error = #expect(throws: DurableFileError.self) { try other.withLock { _ in } }
            #expect(error?.code == .lockTimedOut)
        }
    }

    @Test(arguments: [0o600, 0o644, 0o640, 0o664, 0o444, 0o1755] as [mode_t])
    func `the mode is kept, whatever the umask`(wanted: mode_t) throws {
        let path = try directory.write("old")
        chmod(path, wanted)
        try DurableFile(directory).write("new")
        #expect(try mode(path) == wanted)
    }

    @Test func `a new file has the mode asked for, less the umask`() throws {
        // The umask is the process's, so it is looked at here and not changed.
        let mask = umask(0o022)
        umask(mask)
        try DurableFile(directory).write("new")
        #expect(try mode(directory.file("settings.json")) == 0o666 & ~mask)
        try DurableFile(directory, "secret.json") { $0.creationMode = 0o600 }.write("new")
        #expect(try mode(directory.file("secret.json")) == 0o600)
    }

    @Test func `a draft is nobody else's to read before it has the rights of the file`() throws {
        let path = try directory.write("old")
        chmod(path, 0o600)
        let modes = Recorder { [directory] call, _ in
            if call.name == .pwrite || call.name == .fchown || call.name == .fchmod {
                if let mode = try? mode(call.path) { #expect(mode & 0o077 == 0, "\(call.name) in \(directory.path)") }
            }
            return .proceed
        }
        try DurableFile(directory) { $0.calls = modes.seam }.write("new")
        #expect(modes.done.contains { $0.name == .pwrite })
    }

    @Test(.enabled(if: geteuid() == 0, "only root may give files away"))
    func `owner and group are kept`() throws {
        let path = try directory.write("old")
        chown(path, 1234, 4321)
        chmod(path, 0o640)
        let done = try DurableFile(directory).write("new")
        #expect(done.ownerKept)
        var status = stat()
        lstat(path, &status)
        #expect(status.st_uid == 1234)
        #expect(status.st_gid == 4321)
        #expect(status.st_mode & 0o7777 == 0o640)
    }

    @Test(.enabled(if: geteuid() == 0, "only root may give files away"))
    func `an owner that cannot be kept is told, and the group's rights are not another group's`() throws {
        let path = try directory.write("old")
        chown(path, 1234, 4321)
        chmod(path, 0o664)
        let refusing = Recorder { call, _ in call.name == .fchown ? .fail(EPERM) : .proceed }
        let done = try DurableFile(directory) { $0.calls = refusing.seam }.write("new")
        #expect(!done.ownerKept)
        #expect(try mode(path) == 0o644)
    }

    @Test func `extended attributes are kept`() throws {
        let path = try directory.write("old")
        guard setAttribute("user.origin", "installer", of: path) else {
            try Test.cancel("this file system has no extended attributes")
        }
        try DurableFile(directory).write("new")
        #expect(attribute("user.origin", of: path) == "installer")
    }

    @Test func `another hard link keeps the old content`() throws {
        let path = try directory.write("old")
        #expect(Foundation.link(path, directory.file("other.json")) == 0)
        try DurableFile(directory).write("new")
        #expect(try directory.read() == "new")
        #expect(try directory.read("other.json") == "old")
    }

    @Test func `a name of the greatest length works`() throws {
        let name = String(repeating: "é", count: 127) + "x"
        try directory.write("old", to: name)
        try DurableFile(directory, name).write("new")
        #expect(try directory.read(name) == "new")
        #expect(try directory.names() == [name])
    }

    @Test(arguments: ["", "/", "/dev/shm/", "/dev/shm/.", "/dev/shm/..", "/dev/shm/a\u{0}b", "/dev/null/settings.json"])
    func `a path that can be no file's is an error`(path: String) throws {
        #expect(throws: DurableFileError.self) { try DurableFile(path: path).write("new") }
        #expect(throws: DurableFileError.self) {
            _ = try DurableFile(path: path).withLockIfDirectoryExists { try $0.read() }
        }
    }
}

// Not in Swift's Glibc module.
private func setAttribute(_ name: String, _ value: String, of path: String) -> Bool {
    typealias Function =
        @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafePointer<CChar>, Int, CInt) ->
        CInt
    guard let symbol = dlsym(nil, "setxattr") else { return false }
    // Sound: that is its signature, in sys/xattr.h.
    return unsafeBitCast(symbol, to: Function.self)(path, name, value, value.utf8.count, 0) == 0
}

private func attribute(_ name: String, of path: String) -> String? {
    typealias Function =
        @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutablePointer<CChar>, Int) ->
        Int
    guard let symbol = dlsym(nil, "getxattr") else { return nil }
    var value = [CChar](repeating: 0, count: 256)
    // Sound: that is its signature, in sys/xattr.h.
    let count = unsafeBitCast(symbol, to: Function.self)(path, name, &value, 256)
    return count < 0 ? nil : String(decoding: value.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
}
