import DurableFiles
import FileWatching
import Locking
import SystemCalls

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Keeps the text in a file that other programs and people edit too.
///
/// The watcher, if there is one, says when to look; a commit reads again under the lock and replaces the file.
final class FileBackend: SettingsBackend {
    private let path: String
    private let reader: any FileReader
    private let watcher: FileWatcher?
    private let file: DurableFile
    /// What the last write taught about the file: it can only be written in place, or not exclusively.
    private let writingProblem = Lock<SettingsProblem?>(nil)

    /// Begins to watch the file, which need not exist; or only to know it, unless `isWatched`.
    ///
    /// - Throws: ``SettingsError/inputOutput`` when a relative path has no working directory to count from.
    init(
        path: String, isWatched: Bool, maximumSize: Int, lockTimeout: Duration, hasSecrets: Bool
    ) throws(SettingsError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw SettingsError(.inputOutput, "\"\(path)\" is no path of a file")
        }
        self.path = try Self.absolute(path)
        let reading = FileWatcher.Options(maximumSize: maximumSize)
        watcher = isWatched ? FileWatcher(path: self.path, options: reading) : nil
        reader = watcher ?? UnwatchedFile(path: self.path, options: reading)
        var options = DurableFile.Options()
        options.maximumSize = maximumSize
        options.lockTimeout = lockTimeout
        if hasSecrets { options.creationMode = 0o600 }
        file = DurableFile(path: self.path, options: options)
    }

    var location: String? { path }

    var signals: AsyncStream<Void> { watcher?.signals ?? .ended }

    var standingProblems: [SettingsProblem] {
        var problems: [SettingsProblem] = []
        if case .degraded(let error)? = watcher?.mode {
            problems.append(
                SettingsProblem(
                    kind: .degraded, message: "changes are noticed by polling only, since \(error)", file: path))
        }
        if let problem = writingProblem.withLock({ $0 }) { problems.append(problem) }
        return problems
    }

    nonisolated(nonsending) func load(isFirst: Bool) async -> SettingsBackendReading {
        reading(isFirst ? reader.readSettled() : reader.read())
    }

    nonisolated(nonsending) func commit(
        _ transform: (SettingsBackendReading) throws -> [UInt8]?
    ) async throws -> SettingsBackendCommit {
        do {
            // Without a directory there is nothing to lock and nothing to read; a transaction that then writes makes it.
            if let done = try file.withLockIfDirectoryExists({ try commit(in: $0, transform) }) { return done }
            guard try transform(.missing) != nil else { return SettingsBackendCommit(text: nil) }
            return try file.withLock { try commit(in: $0, transform) }
        } catch let error as DurableFileError {
            throw SettingsError(error, path: path)
        }
    }

    private func commit(
        in locked: borrowing LockedFile, _ transform: (SettingsBackendReading) throws -> [UInt8]?
    ) throws -> SettingsBackendCommit {
        let reading = reading(reader.readSettled())
        guard var new = try transform(reading) else { return SettingsBackendCommit(text: nil) }
        var expected: [UInt8]?
        switch reading {
        case .text(let text): expected = text
        case .empty: expected = []
        default: expected = nil
        }
        // Said before it is done, so that the reader holds an emptied file against it at once.
        reader.adopt(new)
        let done = try locked.replace(expecting: expected, with: new) { displaced in
            guard let merged = try transform(displaced.isEmpty ? .empty : .text(displaced)) else { return displaced }
            new = merged
            return merged
        }
        remember(done)
        return SettingsBackendCommit(
            text: done.bytes,
            durabilityUnknown: done.durabilityUnknown.map {
                SettingsError(
                    .durabilityUnknown,
                    "the write is made, but may not survive a loss of power: \($0)", file: path, errno: $0.code)
            })
    }

    private func remember(_ done: Replacement) {
        var problem: SettingsProblem?
        if case .inPlace(let reason) = done.method {
            let why =
                switch reason {
                case .mountPoint: "it is a mount point"
                case .directoryNotWritable: "its directory cannot be written"
                }
            problem = SettingsProblem(
                kind: .notCrashSafe, message: "the file is written in place, since \(why): a crash may leave a part",
                file: path)
        } else if done.notExclusive {
            problem = SettingsProblem(
                kind: .notExclusive, message: "the file lies on a network file system, where its lock may not hold",
                file: path)
        }
        writingProblem.withLock { $0 = problem }
    }

    func close() { watcher?.stop() }

    private func reading(_ reading: FileReading) -> SettingsBackendReading {
        func unusable(_ kind: SettingsProblem.Kind, _ message: String) -> SettingsBackendReading {
            .unusable(SettingsProblem(kind: kind, message: message, file: path))
        }
        return switch reading {
        case .content(let bytes): .text(bytes)
        case .empty: .empty
        case .missing: .missing
        case .unreadable(let error): unusable(.unreadable, "\(error.call): \(error.reason)")
        case .notAFile(let kind): unusable(.notAFile, "expected a file, found \(kind)")
        case .tooLarge(let size, let limit):
            unusable(.tooLarge, "the file has \(size) bytes; at most \(limit) are read")
        case .unsettled: .unsettled
        }
    }

    private static func absolute(_ path: String) throws(SettingsError) -> String {
        if path.utf8.first == UInt8(ascii: "/") { return path }
        // Sound: getcwd(3) with no buffer returns memory of its own, which is freed once.
        guard let directory = unsafe getcwd(nil, 0) else {
            throw SettingsError(.inputOutput, "no working directory to find \(path) from", errno: errno)
        }
        defer { unsafe free(directory) }
        return unsafe String(cString: directory) + "/" + path
    }
}

extension SettingsError {
    /// The error of a file that could not be read or replaced.
    init(_ error: DurableFileError, path: String) {
        let code: Code =
            switch error.code {
            case .lockTimedOut: Self.lockTimedOut
            case .notAFile: Self.fileUnusable
            case .tooLarge: Self.tooLarge
            case .readOnly: Self.readOnly
            case .noSpace: Self.noSpace
            case .permission: Self.permissionDenied
            case .contended: Self.contended
            case .mergeRefused: Self.fileUnusable
            case .io: Self.inputOutput
            }
        if let underlying = error.underlying as? SettingsError {
            self = underlying
            return
        }
        var message = "\(error)"
        if message.hasPrefix(path + ": ") { message = String(message.dropFirst(path.utf8.count + 2)) }
        self.init(code, message, file: path, errno: error.cause?.code)
    }
}
