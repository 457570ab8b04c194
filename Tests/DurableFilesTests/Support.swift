import DurableFiles
import Foundation
import SystemCalls

extension DurableFile {
    /// The file `name` of a test's directory.
    init(
        _ directory: QuickDirectory, _ name: String = "settings.json",
        _ change: (inout Options) -> Void = { _ in }
    ) {
        var options = Options()
        change(&options)
        self.init(path: directory.file(name), options: options)
    }

    /// Reads and replaces in one hold of the lock; another program's text is refused unless `merge` is given.
    @discardableResult
    func write(
        _ text: String, merge: ([UInt8]) throws -> [UInt8] = { _ in throw Unexpected() }
    ) throws -> Replacement {
        try withLock { file in try file.replace(expecting: file.read().bytes, with: Array(text.utf8), merge: merge) }
    }
}

/// A directory of its own for one test, in memory where that is to be had: what these tests show does not depend on the
/// disk, and thousands of replacements on one take minutes.
final class QuickDirectory: Sendable {
    let path: String

    init() throws {
        let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/var/tmp"
        var template = Array("\(parent)/rheostat-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError.last("mkdtemp", parent) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of the entry `name`.
    func file(_ name: String) -> String { path + "/" + name }

    /// Writes `text` in place and returns the path.
    @discardableResult
    func write(_ text: String, to name: String = "settings.json") throws -> String {
        try Data(text.utf8).write(to: URL(fileURLWithPath: file(name)))
        return file(name)
    }

    /// Puts another file in the place of `name`, as most editors do.
    func replace(_ name: String = "settings.json", with text: String) throws {
        let temporary = try write(text, to: ".edit-\(UUID().uuidString)")
        guard rename(temporary, file(name)) == 0 else { throw SystemError.last("rename", file(name)) }
    }

    /// Writes `text` over the file's content as a shell's `>` does: it is empty for a moment.
    func overwrite(_ name: String = "settings.json", with text: String) throws {
        let descriptor = try FileDescriptor.open(file(name), O_WRONLY | O_CREAT | O_TRUNC, mode: 0o666)
        let bytes = Array(text.utf8)
        guard pwrite(descriptor.number, bytes, bytes.count, 0) == bytes.count else {
            throw SystemError.last("pwrite", file(name))
        }
    }

    func read(_ name: String = "settings.json") throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: file(name))), as: UTF8.self)
    }

    /// The names in this directory, sorted.
    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
}

extension LockedFile.Content {
    var text: String? { bytes.map { String(decoding: $0, as: UTF8.self) } }
}

struct Unexpected: Error {}

/// Runs blocking work on a thread of its own, off the cooperative pool.
func onThread<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
        Thread { continuation.resume(with: Result(catching: body)) }.start()
    }
}

/// The permission bits of a file.
func mode(_ path: String) throws -> mode_t {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw SystemError.last("lstat", path) }
    return status.st_mode & 0o7777
}

/// Watches the calls of a `DurableFile`, and acts on them.
///
/// A class with a lock of its own, since the calls come from several threads.
final class Recorder: @unchecked Sendable {
    // Sound: `calls` is only touched while `lock` is held.
    private let lock = NSLock()
    private var calls: [FileCall] = []
    private var results: [FileCall] = []
    private let act: @Sendable (_ call: FileCall, _ number: Int) -> FileCalls.Verdict

    /// `act` is told of each call just before it is made, with its number from 0 on.
    init(act: @escaping @Sendable (_ call: FileCall, _ number: Int) -> FileCalls.Verdict = { _, _ in .proceed }) {
        self.act = act
    }

    /// Every call that was asked for, in order.
    var asked: [FileCall] { lock.withLock { calls } }
    /// Those that worked.
    var done: [FileCall] { lock.withLock { results } }

    var seam: FileCalls {
        FileCalls(
            before: { call in
                let number = self.lock.withLock {
                    self.calls.append(call)
                    return self.calls.count - 1
                }
                return self.act(call, number)
            },
            after: { call, _ in self.lock.withLock { self.results.append(call) } })
    }
}

/// Something that another program does just before a call.
final class Gate: @unchecked Sendable {
    // Sound: `left` and `seen` are only touched while `lock` is held.
    private let lock = NSLock()
    private var left: Int
    private var seen: Set<String> = []
    private let name: FileCall.Name
    private let body: @Sendable () -> Void

    /// Runs `body` just before the first `times` calls named `name`, each for another path: a round has a swap of its
    /// own, which is exchanged a second time to put things back.
    init(before name: FileCall.Name, times: Int = 1, _ body: @escaping @Sendable () -> Void) {
        self.name = name
        left = times
        self.body = body
    }

    var seam: FileCalls {
        FileCalls(before: { call in
            if call.name == self.name && self.lock.withLock({ self.take(call.path) }) { self.body() }
            return .proceed
        })
    }

    private func take(_ path: String) -> Bool {
        guard seen.insert(path).inserted else { return false }
        left -= 1
        return left >= 0
    }
}
