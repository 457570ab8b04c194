import DurableFiles
import Foundation
import SystemCalls
import Testing

/// What a process leaves that ends in the middle of a replacement.
@Suite struct LeftOverTests {
    let directory: QuickDirectory

    init() throws {
        directory = try QuickDirectory()
        try directory.write("old")
    }

    /// Ends a replacement at the exchange or at the look after it: the calls from there on fail.
    private func interrupt(
        at name: FileCall.Name, _ file: String = "settings.json", edit: String? = nil, new: String = "new"
    ) throws {
        let dead = Recorder { [directory] call, _ in
            if call.name == .exchange, let edit { _ = try? directory.replace(file, with: edit) }
            return .proceed
        }
        let ended = Flag()
        let seam = FileCalls(before: { call in
            if call.name == name { ended.set() }
            return ended.isSet ? .fail(EIO) : dead.seam.before?(call) ?? .proceed
        })
        #expect(throws: DurableFileError.self) { try DurableFile(directory, file) { $0.calls = seam }.write(new) }
    }

    private func recover(_ file: String = "settings.json") throws -> [Displaced] {
        try DurableFile(directory, file).withLock { try $0.recoverDisplaced() }
    }

    @Test func `a half written draft is removed`() throws {
        try interrupt(at: .fsync)
        #expect(try directory.names().count == 2)
        #expect(try recover().isEmpty)
        #expect(try directory.names() == ["settings.json"])
        #expect(try directory.read() == "old")
    }

    @Test func `a swap's name carries the hashes of both texts, and it is removed`() throws {
        try directory.write("a")
        try interrupt(at: .exchange, new: "foobar")
        // FNV-1a, 128 bits, as published for these two texts.
        let name = try #require(try directory.names().first)
        #expect(
            name.hasPrefix(
                ".settings.json.rheostat-swap-d228cb696f1a8caf78912b704e4a8964-343e1662793c64bf6f0d3597ba446f18-"))
        #expect(try recover().isEmpty)
        #expect(try directory.names() == ["settings.json"])
        #expect(try directory.read() == "a")
    }

    @Test func `the old text after the exchange is removed`() throws {
        try interrupt(at: .lease)
        #expect(try directory.names().count == 2)
        #expect(try directory.read() == "new")
        #expect(try recover().isEmpty)
        #expect(try directory.names() == ["settings.json"])
    }

    @Test func `a displaced edit is told, every time, until it is discarded`() throws {
        try interrupt(at: .lease, edit: "theirs")
        for _ in 0..<2 {
            let found = try #require(try recover().first)
            #expect(String(decoding: found.bytes, as: UTF8.self) == "theirs")
            #expect(found.isOursStillThere)
        }
        try directory.write("another")
        try DurableFile(directory).withLock { file in
            let found = try #require(try file.recoverDisplaced().first)
            #expect(!found.isOursStillThere)
            try file.discard(found)
            #expect(try file.recoverDisplaced().isEmpty)
        }
        #expect(try directory.names() == ["settings.json"])
    }

    @Test func `a displaced edit can be kept under a name that people see`() throws {
        try directory.write("taken", to: "settings.json.displaced-1")
        try interrupt(at: .lease, edit: "theirs")
        let path = try DurableFile(directory).withLock { file in
            try file.keep(try #require(try file.recoverDisplaced().first))
        }
        #expect(path == directory.file("settings.json.displaced-2"))
        #expect(try directory.read("settings.json.displaced-2") == "theirs")
        #expect(try directory.read("settings.json.displaced-1") == "taken")
        #expect(try recover().isEmpty)
    }

    @Test func `a displaced edit that changed since it was told is not discarded`() throws {
        try interrupt(at: .lease, edit: "theirs")
        try DurableFile(directory).withLock { file in
            let found = try #require(try file.recoverDisplaced().first)
            try Data("more of theirs".utf8).write(to: URL(fileURLWithPath: found.path))
            try file.discard(found)
            #expect(try file.recoverDisplaced().first?.bytes == Array("more of theirs".utf8))
        }
    }

    @Test func `nobody else's files are touched`() throws {
        let hash = String(repeating: "0", count: 32)
        let others = [
            ".settings.json.swp", "settings.json~", ".settings.json.rheostat-draft-",
            ".settings.json.rheostat-draft-1-2",
            ".settings.json.rheostat-draft-01-01234567", ".settings.json.rheostat-draft-x-01234567",
            ".settings.json.rheostat-draft-1-0123456G", ".settings.json.rheostat-draft--1-01234567",
            ".settings.json.rheostat-swap-\(hash)-01234567", ".settings.json.rheostat-swap-\(hash)-\(hash)-0123456",
            ".settings.json.rheostat-swap-\(hash)-\(hash)x-01234567", ".other.json.rheostat-draft-1-01234567",
            ".settings.json.rheostat-draft-1-01234567.bak", "settings.json.rheostat-draft-1-01234567",
            ".settings.jso\u{6e}\u{301}.rheostat-draft-1-01234567",
        ]
        for name in others { try directory.write("", to: name) }
        #expect(try recover().isEmpty)
        try DurableFile(directory).write("new")
        #expect(try directory.names() == (others + ["settings.json"]).sorted())
    }

    @Test func `left-overs of another file of the same directory stay`() throws {
        try directory.write("old", to: "other.json")
        try interrupt(at: .exchange, "other.json")
        #expect(try recover().isEmpty)
        #expect(try directory.names().count == 3)
        #expect(try recover("other.json").isEmpty)
        #expect(try directory.names() == ["other.json", "settings.json"])
    }
}

/// A switch that several threads see.
final class Flag: @unchecked Sendable {
    // Sound: `value` is only touched while `lock` is held.
    private let lock = NSLock()
    private var value = false

    var isSet: Bool { lock.withLock { value } }
    func set() { lock.withLock { value = true } }
}
