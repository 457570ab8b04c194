import DurableFiles
import Foundation
import SystemCalls
import TestSupport
import Testing

/// What other programs save between our read and our exchange of names; they take no lock.
@Suite struct ForeignEditTests {
    let directory: QuickDirectory

    init() throws {
        directory = try QuickDirectory()
        try directory.write("old")
    }

    private func file(_ calls: FileCalls) -> DurableFile { DurableFile(directory) { $0.calls = calls } }

    /// Appends our word to theirs.
    private func append(_ bytes: [UInt8]) -> [UInt8] { bytes + Array("+ours".utf8) }

    @Test func `undisturbed, the names are exchanged and the old text is removed`() throws {
        let recorder = Recorder()
        let done = try file(recorder.seam).write("new")
        #expect(done.method == .exchanged)
        #expect(done.rounds == 1)
        let names = recorder.done.map(\.name)
        #expect(
            names.filter { [.pwrite, .fsync, .rename, .exchange, .unlink].contains($0) }
                == [.pwrite, .fsync, .rename, .exchange, .unlink, .fsync])
        #expect(try directory.names() == ["settings.json"])
    }

    @Test func `a file put over ours just before the exchange is merged`() throws {
        let gate = Gate(before: .exchange) { [directory] in _ = try? directory.replace(with: "theirs") }
        let done = try file(gate.seam).write("new", merge: append)
        #expect(done.method == .exchanged)
        #expect(done.rounds == 2)
        #expect(String(decoding: done.bytes, as: UTF8.self) == "theirs+ours")
        #expect(try directory.read() == "theirs+ours")
        #expect(try directory.names() == ["settings.json"])
    }

    @Test func `a file written in place just before the exchange is merged`() throws {
        let gate = Gate(before: .exchange) { [directory] in _ = try? directory.write("theirs") }
        #expect(try file(gate.seam).write("new", merge: append).rounds == 2)
        #expect(try directory.read() == "theirs+ours")
        #expect(try directory.names() == ["settings.json"])
    }

    @Test func `an edit before the draft is merged without displacing it`() throws {
        let recorder = Recorder()
        try file(recorder.seam).withLock { file in
            let read = try file.read().bytes
            try directory.replace(with: "theirs")
            let done = try file.replace(expecting: read, with: Array("new".utf8), merge: append)
            #expect(done.rounds == 1)
        }
        #expect(recorder.done.count { $0.name == .exchange } == 1)
        #expect(try directory.read() == "theirs+ours")
    }

    @Test func `edits in three rounds one after the other are merged, the last one counts`() throws {
        let gate = Gate(before: .exchange, times: 3) { [directory] in
            _ = try? directory.replace(with: "theirs \((try? directory.read()) ?? "")")
        }
        let done = try file(gate.seam).write("new", merge: append)
        #expect(done.rounds == 4)
        #expect(try directory.read() == "theirs theirs theirs old+ours")
        #expect(try directory.names() == ["settings.json"])
    }

    @Test func `when merging is refused the edit keeps the name`() throws {
        let gate = Gate(before: .exchange) { [directory] in _ = try? directory.replace(with: "{ broken") }
        let error = #expect(throws: DurableFileError.self) { try file(gate.seam).write("new") }
        #expect(error?.code == .mergeRefused)
        #expect(error?.underlying is Unexpected)
        #expect(try directory.read() == "{ broken")
        #expect(try directory.names() == ["settings.json"])
        try directory.write("mended")
        try file(.system).write("new")
    }

    @Test func `an editor that never rests ends in an error after eight rounds, with its text in place`() throws {
        let gate = Gate(before: .exchange, times: 8) { [directory] in
            let text = (try? directory.read()) ?? ""
            _ = try? directory.replace(with: text == "old" ? "1" : "\((Int(text.prefix { $0 != "+" }) ?? 0) + 1)")
        }
        let error = #expect(throws: DurableFileError.self) { try file(gate.seam).write("new", merge: append) }
        #expect(error?.code == .contended)
        #expect(try directory.read() == "8")
        #expect(try directory.names() == ["settings.json"])
    }

    @Test func `an edit that lands while another is put back gets the name`() throws {
        let edits = EditBeforeEachExchange(directory, ["first", "second", "third"])
        let done = try file(edits.seam).write("new", merge: append)
        // The first one is displaced, the second lands over our text and the third over the first one.
        #expect(done.rounds == 2)
        #expect(try directory.read() == "third+ours")
        #expect(try directory.names() == ["settings.json"])
    }

    @Test func `a file removed just before the exchange is made again`() throws {
        let path = directory.file("settings.json")
        let gate = Gate(before: .exchange) { unlink(path) }
        let done = try file(gate.seam).write("new")
        #expect(done.method == .created)
        #expect(try directory.read() == "new")
        #expect(try directory.names() == ["settings.json"])
    }

    @Test func `a file that appears while ours is made is merged and not written over`() throws {
        unlink(directory.file("settings.json"))
        let gate = Gate(before: .renameNoReplace) { [directory] in _ = try? directory.write("theirs") }
        let done = try file(gate.seam).write("new", merge: append)
        #expect(done.method == .exchanged)
        #expect(try directory.read() == "theirs+ours")
        #expect(try directory.names() == ["settings.json"])
    }

    @Test func `a program that had the file open before the exchange and writes after it is waited for and merged`()
        throws
    {
        let path = directory.file("settings.json")
        let gate = Gate(before: .exchange) {
            let descriptor = open(path, O_WRONLY | O_CLOEXEC)
            Thread {
                usleep(20_000)
                _ = pwrite(descriptor, "OLD", 3, 0)
                close(descriptor)
            }.start()
        }
        let done = try file(gate.seam).write("new", merge: append)
        #expect(done.rounds == 2)
        #expect(try directory.read() == "OLD+ours")
        #expect(try directory.names() == ["settings.json"])
    }

    @Test(arguments: [EINVAL, ENOSYS])
    func `where the exchange is not offered the file is renamed over, after a last look`(code: CInt) throws {
        let recorder = Recorder { call, _ in call.name == .exchange ? .fail(code) : .proceed }
        #expect(try file(recorder.seam).write("new").method == .renamed)
        #expect(try directory.read() == "new")

        let edited = Gate(before: .exchange) { [directory] in _ = try? directory.replace(with: "theirs") }
        let seam = FileCalls(before: { call in
            _ = edited.seam.before?(call)
            return call.name == .exchange ? .fail(code) : .proceed
        })
        let done = try file(seam).write("newer", merge: append)
        #expect(done.method == .renamed)
        #expect(done.rounds == 2)
        #expect(try directory.read() == "theirs+ours")
        #expect(try directory.names() == ["settings.json"])
    }

    @Test func `where neither kind of renaming is offered a new file is linked, never over another`() throws {
        unlink(directory.file("settings.json"))
        let refusing = Recorder { call, _ in
            [.exchange, .renameNoReplace].contains(call.name) ? .fail(EINVAL) : .proceed
        }
        #expect(try file(refusing.seam).write("new").method == .created)
        #expect(refusing.done.contains { $0.name == .link })
        unlink(directory.file("settings.json"))
        let late = Gate(before: .link) { [directory] in _ = try? directory.write("theirs") }
        let seam = FileCalls(before: { call in
            _ = late.seam.before?(call)
            return [.exchange, .renameNoReplace].contains(call.name) ? .fail(EINVAL) : .proceed
        })
        #expect(try file(seam).write("new", merge: append).method == .renamed)
        #expect(try directory.read() == "theirs+ours")
        #expect(try directory.names() == ["settings.json"])
    }

    /// By chance, not by gates: an editor saves while commits run, and each of its saves is to be seen to stay.
    @Test func `among commits without pause every save of an editor stays`() async throws {
        let saves = ProcessInfo.processInfo.environment["RHEOSTAT_FULL_TESTS"] == nil ? 60 : 500
        try directory.write("e0 o0\n")
        let isOver = Flag()
        let directory = directory
        let counts = try await within(.seconds(120)) {
            try await withThrowingTaskGroup(of: (commits: Int, merged: Int).self) { group in
                group.addTask {
                    try await onThread {
                        let file = DurableFile(directory) { $0.durability = .renamed }
                        var commits = 0
                        var merged = 0
                        // A whole line, or it is refused and tried again.
                        func next(_ bytes: [UInt8]) throws -> [UInt8] {
                            let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
                            guard words.count == 2, bytes.last == UInt8(ascii: "\n") else { throw Unexpected() }
                            return Array("\(words[0]) o\(commits)\n".utf8)
                        }
                        while !isOver.isSet {
                            commits += 1
                            do {
                                try file.withLock { file in
                                    let read = try file.read().bytes
                                    let new = try next(read ?? Array("e0 o0\n".utf8))
                                    let done = try file.replace(expecting: read, with: new) { bytes in
                                        merged += 1
                                        return try next(bytes)
                                    }
                                    if done.rounds > 1 { merged += 1 }
                                }
                            } catch is Unexpected {
                                continue
                            } catch let error as DurableFileError
                                where [.mergeRefused, .contended].contains(error.code)
                            {
                                continue
                            }
                        }
                        return (commits, merged)
                    }
                }
                group.addTask {
                    try await onThread {
                        defer { isOver.set() }
                        for number in 1...saves {
                            let text = "e\(number) o0\n"
                            // Somewhere in a commit, by chance.
                            usleep(.random(in: 0..<1000))
                            if number % 2 == 0 {
                                try directory.replace(with: text)
                            } else {
                                try directory.overwrite(with: text)
                            }
                            // Until a commit has come after it, and has kept it.
                            let end = ContinuousClock.now + .seconds(10)
                            while true {
                                let found = try directory.read()
                                if found.hasPrefix("e\(number) ") && found != text { break }
                                try #require(ContinuousClock.now < end, "save \(number) is lost: \(found)")
                            }
                        }
                        return (0, 0)
                    }
                }
                return try await group.reduce(into: (0, 0)) { $0 = ($0.0 + $1.commits, $0.1 + $1.merged) }
            }
        }
        print("\(saves) saves of an editor among \(counts.0) commits, \(counts.1) of them merged")
        #expect(try directory.read().hasPrefix("e\(saves) "))
    }
}

/// Saves one text after the other, each just before an exchange.
private final class EditBeforeEachExchange: @unchecked Sendable {
    // Sound: `texts` is only touched while `lock` is held.
    private let lock = NSLock()
    private var texts: [String]
    private let directory: QuickDirectory

    init(_ directory: QuickDirectory, _ texts: [String]) {
        self.directory = directory
        self.texts = texts
    }

    var seam: FileCalls {
        FileCalls(before: { call in
            guard call.name == .exchange else { return .proceed }
            let text = self.lock.withLock { self.texts.isEmpty ? nil : self.texts.removeFirst() }
            if let text { _ = try? self.directory.replace(with: text) }
            return .proceed
        })
    }
}
