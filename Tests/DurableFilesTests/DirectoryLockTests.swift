import DurableFiles
import Foundation
import SystemCalls
import TestSupport
import Testing

@Suite struct DirectoryLockTests {
    @Test func `taken again by its own holder it ends in a timeout`() throws {
        let directory = try QuickDirectory()
        let path = try directory.write("{}")
        let file = DurableFile(directory) { $0.lockTimeout = .milliseconds(50) }
        let error = #expect(throws: DurableFileError.self) {
            try file.withLock { _ in try file.withLock { _ in } }
        }
        #expect(error?.code == .lockTimedOut)
        #expect(error?.file == path)
        #expect(try directory.names() == ["settings.json"])
        // It was given back.
        #expect(try file.withLock { try $0.read().text } == "{}")
    }

    @Test func `it is given back when the body throws`() throws {
        let directory = try QuickDirectory()
        let file = DurableFile(directory) { $0.lockTimeout = .zero }
        #expect(throws: Unexpected.self) { try file.withLock { _ in throw Unexpected() } }
        try file.write("{}")
    }

    @Test func `two hundred increments from eight threads lose none`() async throws {
        let directory = try QuickDirectory()
        try directory.write("0")
        let path = directory.file("settings.json")
        try await within(.seconds(60)) {
            try await withThrowingTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await onThread {
                            var options = DurableFile.Options()
                            options.durability = .renamed
                            let file = DurableFile(path: path, options: options)
                            for _ in 0..<25 {
                                try file.withLock { file in
                                    let text = try file.read()
                                    let next = (text.text.flatMap { Int($0) } ?? -1) + 1
                                    _ = try file.replace(expecting: text.bytes, with: Array("\(next)".utf8)) { _ in
                                        throw Unexpected()
                                    }
                                }
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(try directory.read() == "200")
        #expect(try directory.names() == ["settings.json"])
    }
}
