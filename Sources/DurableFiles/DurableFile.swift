import SystemCalls

#if canImport(Glibc)
    package import Glibc
#elseif canImport(Musl)
    package import Musl
#else
    package import Darwin
#endif

/// A file that is replaced as a whole, so that readers and crashes find the old or the new content and nothing between,
/// and that several processes may replace by turns without losing each other's changes.
///
/// All work is done inside ``withLock(_:)``. The value itself holds nothing open and may be copied and shared freely.
package struct DurableFile: Sendable {
    package struct Options: Sendable {
        /// When a replacement is on the disk.
        package enum Durability: Sendable {
            /// Once `replace` returns: file and directory were synced. It survives a power loss.
            case full
            /// Some time later, when the system writes it. It survives the end of the process; after a power loss
            /// the file may be the old one, and on some file systems empty.
            case renamed
        }

        package var durability = Durability.full
        /// The mode of a file that is made, lessened by the process's umask. With 0o600 (secrets) a directory that has
        /// to be made gets 0o700, otherwise 0o777 less the umask. A file that is there keeps its mode.
        package var creationMode: mode_t = 0o666
        /// The largest content in bytes that is read or written; the default is 64 MiB.
        package var maximumSize = 64 << 20
        /// How long `withLock` waits for the lock; the default is ten seconds.
        package var lockTimeout = Duration.seconds(10)
        /// The way to the system; tests put their own.
        package var calls = FileCalls.system

        package init() {}
    }

    /// The path it was made with; errors name it.
    package let path: String
    package let options: Options
    /// The same as an absolute path, so that a later chdir(2) does not matter.
    private let absolutePath: String

    /// Nothing is opened or looked at yet. A relative path is taken from the present working directory.
    package init(path: String, options: Options = Options()) {
        self.path = path
        self.options = options
        absolutePath = Self.absolute(path)
    }

    private static func absolute(_ path: String) -> String {
        guard path.utf8.first != UInt8(ascii: "/"), let working = getcwd(nil, 0) else { return path }
        // getcwd(3) allocated it with malloc.
        defer { free(working) }
        return String(cString: working) + "/" + path
    }

    /// Takes the lock, runs `body`, and gives the lock back on every path.
    ///
    /// The lock is flock(2) on the directory of the file that the path leads to, so it leaves no litter, excludes other
    /// processes and other `DurableFile`s of this process alike, and ends with its process. A file on which something
    /// is mounted is locked itself, since its directory is another one for each who sees it. A directory that is
    /// missing is made first.
    ///
    /// Blocks the calling thread, `lockTimeout` at most for the lock, so never call it on the cooperative pool. It is
    /// not recursive: taken again inside `body`, it waits for itself and throws `lockTimedOut`.
    ///
    /// - Throws: ``DurableFileError`` (`lockTimedOut`, or what locking met), or what `body` throws.
    package func withLock<R>(_ body: (borrowing LockedFile) throws -> R) throws -> R {
        guard let file = try acquire(makingDirectory: true) else {
            throw DurableFileError(.io, path, "its directory vanishes as soon as it is made")
        }
        return try body(file)
    }

    /// The same, but makes no directory: gives nil, without running `body`, if there is none.
    package func withLockIfDirectoryExists<R>(_ body: (borrowing LockedFile) throws -> R) throws -> R? {
        guard let file = try acquire(makingDirectory: false) else { return nil }
        return try body(file)
    }

    private func acquire(makingDirectory: Bool) throws -> LockedFile? {
        let deadline = ContinuousClock.now + options.lockTimeout
        do {
            // Whoever waited may find that the path leads elsewhere by now. Then it waits there, in the time that is
            // left; the count bounds what costs no waiting.
            for _ in 0..<100 {
                switch try attempt(until: deadline, makingDirectory: makingDirectory) {
                case .locked(let file): return file
                case .noDirectory: return nil
                case .timedOut: throw timeout()
                case .moved: continue
                }
            }
            throw DurableFileError(
                .io, path, "the way to it keeps changing, or leads through a link to a directory that is missing")
        } catch let error as SystemError {
            throw DurableFileError(error, path)
        }
    }

    private func timeout() -> DurableFileError {
        DurableFileError(
            .lockTimedOut, path,
            "its lock is held by another process or store and did not come free in "
                + "\(options.lockTimeout)")
    }

    private enum Attempt: ~Copyable {
        case locked(LockedFile)
        case noDirectory
        case timedOut
        case moved
    }

    private func attempt(
        until deadline: ContinuousClock.Instant, makingDirectory: Bool
    ) throws(SystemError) -> Attempt {
        let calls = options.calls
        let place = try Place.resolve(absolutePath, calls)
        guard let directory = try openDirectory(place.directory, making: makingDirectory) else {
            return makingDirectory ? .moved : .noDirectory
        }
        let isMountRoot = calls.isMountRoot(place.name, in: directory.number, path: place.path)
        let locked: FileDescriptor
        do {
            locked =
                if isMountRoot {
                    try calls.open(
                        place.name, in: directory.number, flags: O_RDONLY | O_NONBLOCK | O_NOFOLLOW, path: place.path)
                } else {
                    // Another open of it: the lock belongs to the open, not to the process.
                    try calls.open(".", in: directory.number, flags: O_RDONLY | O_DIRECTORY, path: place.directory)
                }
        } catch {
            // Removed a moment ago, or renamed and another put there.
            if error.code == ENOENT || error.code == ELOOP { return .moved }
            throw error
        }
        let lockPath = isMountRoot ? place.path : place.directory
        guard let lock = try HeldLock.take(locked, until: deadline, calls, path: lockPath) else { return .timedOut }

        guard
            try Place.resolve(absolutePath, calls) == place,
            calls.isMountRoot(place.name, in: directory.number, path: place.path) == isMountRoot
        else { return .moved }
        let held = try calls.status(of: lock.number, path: lockPath).identity
        guard try calls.status(of: lockPath, in: AT_FDCWD, follow: true, path: lockPath)?.identity == held else {
            return .moved
        }
        return .locked(
            LockedFile(
                file: path, options: options, place: place, directory: directory, lock: lock,
                isMountRoot: isMountRoot))
    }

    /// Opens a directory, made with its parents if need be; nil if it is missing and is not to be made, or vanished.
    private func openDirectory(_ path: String, making: Bool) throws(SystemError) -> FileDescriptor? {
        let calls = options.calls
        do {
            return try calls.open(path, in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY, path: path)
        } catch {
            guard error.code == ENOENT else { throw error }
            guard making else { return nil }
        }
        try makeDirectory(path)
        do {
            return try calls.open(path, in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY, path: path)
        } catch {
            if error.code == ENOENT { return nil }
            throw error
        }
    }

    private func makeDirectory(_ path: String) throws(SystemError) {
        let calls = options.calls
        let mode: mode_t = options.creationMode & 0o077 == 0 ? 0o700 : 0o777
        do {
            try calls.makeDirectory(path, in: AT_FDCWD, mode: mode, path: path)
        } catch {
            switch error.code {
            case EEXIST: return
            case ENOENT:
                let parent = Place.parent(of: path)
                if parent == path { throw error }
                try makeDirectory(parent)
                do {
                    try calls.makeDirectory(path, in: AT_FDCWD, mode: mode, path: path)
                } catch {
                    if error.code != EEXIST { throw error }
                }
            default: throw error
            }
        }
        if options.durability == .full {
            let parent = Place.parent(of: path)
            let descriptor = try calls.open(parent, in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY, path: parent)
            try calls.syncDirectory(descriptor.number, path: parent)
        }
    }
}
