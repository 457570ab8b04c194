import DurableFiles
import Foundation
import SystemCalls
import TestSupport

extension DurableFile {
    /// The file `name` of a test's directory.
    init(
        _ directory: TemporaryDirectory, _ name: String = "settings.json",
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

extension LockedFile.Content {
    var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
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
