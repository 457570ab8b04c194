/// Something that is wrong with the settings and that a person should know: a file that cannot be used, a value of the
/// wrong type, a key that is declared twice.
///
/// A problem stands until it is resolved. While one stands that makes the file unusable, readers keep the last good
/// values. See ``SettingsStore/problems()``.
public struct SettingsProblem: Hashable, Sendable, CustomStringConvertible {
    /// What sort of problem it is. More may be added; compare with the constants.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        private enum Name: String {
            case syntax, invalid, empty, unreadable, notAFile, missing, tooLarge, duplicate, degraded, notCrashSafe,
                notExclusive, malformedKey, conflictingKeys, refused, notWritten
        }
        private let name: Name

        /// The text is not JSON with comments and trailing commas.
        public static let syntax = Kind(name: .syntax)
        /// A value does not fit its key, or the text is no object.
        public static let invalid = Kind(name: .invalid)
        /// The file had content and has none any more. `{}` says that nothing is set.
        public static let empty = Kind(name: .empty)
        /// The file cannot be read.
        public static let unreadable = Kind(name: .unreadable)
        /// Something else than a file is in its place: a directory, a FIFO, a device.
        public static let notAFile = Kind(name: .notAFile)
        /// The file was there and is gone.
        public static let missing = Kind(name: .missing)
        /// The file is larger than the limit.
        public static let tooLarge = Kind(name: .tooLarge)
        /// A setting stands in the file more than once. The last one counts.
        public static let duplicate = Kind(name: .duplicate)
        /// The file can only be polled, since the system gives no notification.
        public static let degraded = Kind(name: .degraded)
        /// The file can only be written in place, so that a crash may leave a part of it.
        public static let notCrashSafe = Kind(name: .notCrashSafe)
        /// The file system cannot keep other writers out.
        public static let notExclusive = Kind(name: .notExclusive)
        /// A key's name is no name, or its default is refused by its own rules.
        public static let malformedKey = Kind(name: .malformedKey)
        /// Two keys cannot be used in one store: one name with two types or defaults, or a name that is the beginning
        /// of another.
        public static let conflictingKeys = Kind(name: .conflictingKeys)

        /// A value was assigned that its key does not take. The old value stays.
        public static let refused = Kind(name: .refused)
        /// An assignment could not be written. Its key shows again what is committed. It stands until a write succeeds.
        public static let notWritten = Kind(name: .notWritten)

        /// The name of the constant, such as `syntax`.
        public var description: String { name.rawValue }

        /// Whether the file cannot be used while a problem of this kind stands. An invalid value of a key that was not
        /// declared concerns that key alone; see ``SettingsProblem/isFileUnusable``.
        var concernsWholeFile: Bool {
            switch name {
            case .syntax, .empty, .unreadable, .notAFile, .missing, .tooLarge: true
            default: false
            }
        }
    }

    /// What sort of problem it is.
    public let kind: Kind

    /// What is wrong, in one line, without the place. It quotes no value of a key that is secret or not known.
    public let message: String

    /// The key it concerns, if it concerns one.
    public let key: String?

    /// The file it concerns, as an absolute path, if it concerns one.
    public let file: String?

    /// The line in the file, from 1, if there is a place.
    public let line: Int?

    /// The column in the line, in Unicode scalars from 1, if there is a place.
    public let column: Int?

    /// Whether this element of ``SettingsStore/problems()`` says that the problem is over.
    public internal(set) var isResolved = false

    /// Whether the whole file is refused because of it, so that readers keep the last good values.
    public internal(set) var isFileUnusable: Bool

    /// Makes a problem, as a ``SettingsBackend`` tells it in ``SettingsBackendReading/unusable(_:)`` or among its
    /// ``SettingsBackend/standingProblems``.
    ///
    /// - Parameters:
    ///   - kind: what sort of problem it is.
    ///   - message: what is wrong, for a person, in one line and without the place. It must not quote what the text
    ///     holds, since that may be a secret.
    ///   - key: the key it concerns, if it concerns one.
    ///   - file: the file or the address it concerns.
    ///   - line: the line in the text, from 1; 0 when there is no place.
    ///   - column: the column in the line, in Unicode scalars from 1; 0 when there is no place.
    ///   - isFileUnusable: whether the whole text is refused because of it; `nil` to go by `kind`.
    public init(
        kind: Kind, message: String, key: String? = nil, file: String? = nil, line: Int = 0, column: Int = 0,
        isFileUnusable: Bool? = nil
    ) {
        self.kind = kind
        self.message = message
        self.key = key
        self.file = file
        self.line = line > 0 ? line : nil
        self.column = column > 0 ? column : nil
        self.isFileUnusable = isFileUnusable ?? kind.concernsWholeFile
    }

    /// `FILE:LINE:COLUMN: message`, as compilers write it, as far as there is a place.
    public var description: String {
        var place = file ?? ""
        if let line { place += ":\(line)" }
        if let column { place += ":\(column)" }
        return (place.isEmpty ? "" : place + ": ") + message + (isResolved ? " (resolved)" : "")
    }

    /// The same problem about a key that does not decide over the whole file.
    var concerningOneKey: SettingsProblem {
        var copy = self
        copy.isFileUnusable = false
        return copy
    }
}
