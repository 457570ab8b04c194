import DurableFiles
import Foundation
import SystemCalls
import TestSupport
import Testing

/// Each call of the protocol fails in each way, once or from there on.
@Suite struct FaultTests {
    static let codes = [ENOSPC, EDQUOT, EIO, EROFS, EACCES, EPERM, EMFILE, EBUSY, EXDEV]

    @Test(arguments: ProtocolCase.all)
    func `one failing call leaves the old content or the new, no litter, and the next write works`(
        protocolCase: ProtocolCase
    ) throws {
        let normal = protocolCase.run(in: try protocolCase.makeDirectory()) { _, _ in .proceed }
        let count = normal.recorder.asked.count
        #expect(count > 15)
        var failures = 0
        for number in 0..<count {
            for code in Self.codes {
                let directory = try protocolCase.makeDirectory()
                let (result, recorder) = protocolCase.run(in: directory) { _, asked in
                    asked == number ? .fail(code) : .proceed
                }
                let call = recorder.asked[number]
                let what = Comment("\(call.name.rawValue), call \(number): \(String(cString: strerror(code)))")
                let text = protocolCase.text(in: directory)
                let wasEdited = recorder.asked.contains { $0.name == .exchange } && protocolCase.edit != nil
                switch result {
                case .success: #expect(text == (wasEdited ? protocolCase.result : "new"), what)
                case .failure(let error):
                    failures += 1
                    let error = try #require(error as? DurableFileError, what)
                    #expect(text == (wasEdited ? protocolCase.edit : protocolCase.old), what)
                    #expect(error.file == directory.file(protocolCase.file), what)
                    if error.code == .mergeRefused { break }
                    #expect(error.cause?.code == code, what)
                    #expect(error.cause?.call == call.name.rawValue, what)
                    #expect(error.cause?.path == call.path, what)
                }
                let expected = text == nil ? [] : ["settings.json"]
                if call.name == .unlink {
                    // What could not be removed is removed the next time.
                    _ = try protocolCase.durable(in: directory).withLock { try $0.recoverDisplaced() }
                }
                #expect(protocolCase.names(in: directory) == expected, what)
                try protocolCase.durable(in: directory).write("next")
                #expect(protocolCase.text(in: directory) == "next", what)
            }
        }
        print("\(protocolCase.name): \(count) calls, \(count * Self.codes.count) faults, \(failures) errors")
    }

    @Test(arguments: ProtocolCase.all)
    func `interrupted calls are made again`(protocolCase: ProtocolCase) throws {
        let count = protocolCase.run(in: try protocolCase.makeDirectory()) { _, _ in .proceed }.recorder.asked.count
        for number in 0..<count {
            let directory = try protocolCase.makeDirectory()
            let (result, recorder) = protocolCase.run(in: directory) { _, asked in
                asked == number ? .fail(EINTR) : .proceed
            }
            let what = Comment("\(recorder.asked[number].name.rawValue), call \(number)")
            if protocolCase.merges { #expect(throws: Never.self, what) { try result.get() } }
            #expect(protocolCase.text(in: directory) == protocolCase.result, what)
            #expect(protocolCase.names(in: directory) == ["settings.json"], what)
        }
    }

    @Test(arguments: ProtocolCase.all)
    func `a system that reads and writes one byte at a time gives the same result`(protocolCase: ProtocolCase) throws {
        let directory = try protocolCase.makeDirectory()
        _ = protocolCase.run(in: directory) { _, _ in .limit(1) }
        #expect(protocolCase.text(in: directory) == protocolCase.result)
        #expect(protocolCase.names(in: directory) == ["settings.json"])
    }

    /// A process that ends at a call makes none from there on: what it leaves is what failing all of them leaves.
    @Test(arguments: ProtocolCase.all)
    func `a process that ends before any of its calls leaves a whole file, and its left-overs are cleared`(
        protocolCase: ProtocolCase
    ) throws {
        let count = protocolCase.run(in: try protocolCase.makeDirectory()) { _, _ in .proceed }.recorder.asked.count
        let isInPlace = protocolCase.refused[.exchange] == EBUSY
        var displaced = 0
        for number in 0...count {
            let directory = try protocolCase.makeDirectory()
            let (_, recorder) = protocolCase.run(in: directory) { _, asked in asked >= number ? .fail(EIO) : .proceed }
            let what = Comment("ended before call \(number)")
            let found = protocolCase.text(in: directory)
            let wasEdited = protocolCase.edit != nil && recorder.asked.contains { $0.name == .exchange }
            let file = protocolCase.durable(in: directory)
            let texts = try file.withLockIfDirectoryExists { file in
                let texts = try file.recoverDisplaced()
                #expect(try file.recoverDisplaced().map(\.bytes) == texts.map(\.bytes), "found again until decided")
                for text in texts {
                    #expect(text.isOursStillThere == (found == "new"))
                    try file.discard(text)
                }
                return texts.map { String(decoding: $0.bytes, as: UTF8.self) }
            }
            if !isInPlace {
                let whole = [protocolCase.old, protocolCase.edit, "new", protocolCase.result]
                #expect(whole.contains(found), what)
            }
            if wasEdited {
                let inTarget = found?.hasPrefix("theirs") == true
                #expect(inTarget != (texts?.contains("theirs") == true), what)
                if !inTarget { displaced += 1 }
            } else {
                #expect((texts ?? []).isEmpty, what)
            }
            #expect(protocolCase.names(in: directory) == (found == nil ? [] : ["settings.json"]), what)
            try file.write("next")
            #expect(protocolCase.text(in: directory) == "next", what)
        }
        if protocolCase.edit != nil { #expect(displaced > 0, "no cut lay between exchange and putting back") }
    }

    @Test func `a failing directory sync after the exchange is told and the new text counts`() throws {
        let directory = try QuickDirectory()
        let path = try directory.write("old")
        let recorder = Recorder { [path = directory.path] call, _ in
            call.name == .fsync && call.path == path ? .fail(EIO) : .proceed
        }
        let done = try DurableFile(directory) { $0.calls = recorder.seam }.write("new")
        #expect(done.durabilityUnknown == SystemError(call: "fsync", path: directory.path, code: EIO))
        #expect(try directory.read() == "new")
        _ = path
    }

    @Test func `without durability nothing is synced`() throws {
        let directory = try QuickDirectory()
        try directory.write("old")
        let recorder = Recorder()
        let file = DurableFile(directory, "a/settings.json") {
            $0.calls = recorder.seam
            $0.durability = .renamed
        }
        try file.write("one")
        try file.write("two")
        #expect(!recorder.asked.contains { $0.name == .fsync })
    }

    @Test func `an error says file, call and reason, and can be caught by its code`() throws {
        let directory = try QuickDirectory()
        let path = try directory.write("old")
        let recorder = Recorder { call, _ in call.name == .pwrite ? .fail(ENOSPC) : .proceed }
        do {
            try DurableFile(directory) { $0.calls = recorder.seam }.write("new")
            Issue.record("nothing was thrown")
        } catch let error as DurableFileError where error.code == .noSpace {
            #expect(error.cause?.code == ENOSPC)
        }
        let error = #expect(throws: DurableFileError.self) {
            try DurableFile(directory) { $0.calls = recorder.seam }.write("new")
        }
        let description = try #require(error?.description)
        #expect(description.hasPrefix("\(path): \(directory.path)/.settings.json.rheostat-draft-"))
        #expect(description.hasSuffix(": pwrite: No space left on device"))
    }
}
