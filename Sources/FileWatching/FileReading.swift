package import SystemCalls

/// What the file behind a path holds at the moment.
package enum FileReading: Hashable, Sendable {
    /// A regular file with at least one byte: all its bytes, as they stood at one moment.
    case content([UInt8])
    /// A regular file of zero length, and that for longer than a writer leaves a file empty.
    case empty
    /// No file, and that for longer than an editor takes to put a new one in place.
    case missing
    /// A file that cannot be opened or read.
    case unreadable(SystemError)
    /// Something else than a regular file. It was not opened: that alone may block or have effects.
    case notAFile(FileKind)
    /// A file over the limit, in bytes. None of it was kept.
    case tooLarge(size: Int, limit: Int)
    /// Changing just now: the last good content stays valid, and a signal follows.
    case unsettled
}

/// What stands at a path where a regular file was wanted.
package enum FileKind: Hashable, Sendable, CustomStringConvertible {
    case directory, fifo, socket, characterDevice, blockDevice, other

    /// For messages: "a directory".
    package var description: String {
        switch self {
        case .directory: "a directory"
        case .fifo: "a FIFO"
        case .socket: "a socket"
        case .characterDevice: "a character device"
        case .blockDevice: "a block device"
        case .other: "not a regular file"
        }
    }
}
