import SystemCalls

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file whose lock is held: what ``DurableFile/withLock(_:)`` lends its body. For one thread at a time.
package struct LockedFile: ~Copyable {
    /// What was found.
    package enum Content: Hashable, Sendable {
        case bytes([UInt8])
        /// There is no such file.
        case missing

        /// Nil if it is missing.
        package var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
    }

    /// The path as the caller named it, for errors.
    let file: String
    let options: DurableFile.Options
    let place: Place
    /// All names are looked up in this one, so that nothing goes astray when the directory is renamed meanwhile.
    let directory: FileDescriptor
    private let lock: HeldLock
    /// Whether something is mounted on the file itself, so that its name cannot be given to another file.
    let isMountRoot: Bool
    /// Whether the directory lies on a network file system, where the lock may hold for this machine alone.
    package let isOnNetwork: Bool

    init(
        file: String, options: DurableFile.Options, place: Place, directory: consuming FileDescriptor,
        lock: consuming HeldLock, isMountRoot: Bool
    ) {
        self.file = file
        self.options = options
        self.place = place
        isOnNetwork = NetworkFileSystems.include(
            options.calls.fileSystemType(of: directory.number, path: place.directory))
        self.directory = directory
        self.lock = lock
        self.isMountRoot = isMountRoot
    }

    /// The path that is read and replaced: the one given, with the symbolic links at its end followed.
    package var target: String { place.path }

    /// The content now, as it was at one moment: a read during which the file changed is repeated, ten times at most.
    ///
    /// Opens without blocking, so that a FIFO in the file's place is an error and no hang.
    ///
    /// - Throws: ``DurableFileError``: `notAFile`, `tooLarge`, `contended` (it changed all the time), or what the system
    ///   says.
    package func read() throws -> Content {
        do {
            guard let open = try open(place.name) else { return .missing }
            return .bytes(open.bytes)
        } catch let error as SystemError {
            throw DurableFileError(error, file)
        }
    }

    var calls: FileCalls { options.calls }
}
