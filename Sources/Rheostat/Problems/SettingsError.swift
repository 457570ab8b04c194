/// An error of a settings store.
///
/// Catch it by case with the constants of ``Code``:
///
/// ```swift
/// do {
///     try await settings.set(.port, to: 9090)
/// } catch SettingsError.fileUnusable {
///     // Somebody is editing the file and has not finished.
/// }
/// ```
public struct SettingsError: Error, Sendable, CustomStringConvertible {
    /// What happened. More may be added; compare with the constants.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        fileprivate enum Name: String {
            case invalidKeys, fileUnusable, invalidValue, notAnObject, closed, lockTimedOut, permissionDenied, readOnly,
                noSpace, inputOutput, contended, durabilityUnknown, tooLarge
        }
        fileprivate let name: Name

        /// The declared keys cannot be used together; ``problems`` lists all that is wrong.
        public static let invalidKeys = Code(name: .invalidKeys)
        /// The file cannot be used as it is, so it was neither taken nor touched; ``problems`` lists all that is wrong.
        public static let fileUnusable = Code(name: .fileUnusable)
        /// A value was refused by its key's type or rules, or by what JSON can hold. Nothing was changed.
        public static let invalidValue = Code(name: .invalidValue)
        /// The path leads through a value that is no object. Nothing was changed.
        public static let notAnObject = Code(name: .notAnObject)
        /// The store was closed.
        public static let closed = Code(name: .closed)
        /// Another process held the file's lock for too long. Nothing was changed.
        public static let lockTimedOut = Code(name: .lockTimedOut)
        /// The system does not let this process read or write the file. Nothing was changed.
        public static let permissionDenied = Code(name: .permissionDenied)
        /// The file system is mounted read-only. Nothing was changed.
        public static let readOnly = Code(name: .readOnly)
        /// The file system is full, or a quota is. Nothing was changed.
        public static let noSpace = Code(name: .noSpace)
        /// Another system call failed. Nothing was changed.
        public static let inputOutput = Code(name: .inputOutput)
        /// Others replaced the file again and again while it was to be written. Nothing was changed.
        public static let contended = Code(name: .contended)
        /// The write was made and is visible, but the system did not confirm that it would survive a loss of power.
        public static let durabilityUnknown = Code(name: .durabilityUnknown)
        /// The text would become larger than the limit. Nothing was changed.
        public static let tooLarge = Code(name: .tooLarge)

        /// The name of the constant, such as `fileUnusable`.
        public var description: String { name.rawValue }
    }

    /// What happened.
    public let code: Code

    /// In one line, without the place. It quotes no value of a key that is secret or not known.
    public let message: String

    /// The key it concerns, if it concerns one.
    public let key: String?

    /// The file it concerns, as an absolute path, if it concerns one.
    public let file: String?

    /// The line in the file, from 1, if there is a place.
    public let line: Int?

    /// The column in the line, in Unicode scalars from 1, if there is a place.
    public let column: Int?

    /// The `errno` of the system call that failed, if one did.
    public let errno: Int32?

    /// All that is wrong, where several things can be, ordered by place.
    public let problems: [SettingsProblem]

    /// Makes an error, as a ``SettingsBackend`` throws it when a commit changed nothing.
    ///
    /// - Parameters:
    ///   - code: what happened.
    ///   - message: the same for a person, in one line and without the place. It must not quote what the text holds,
    ///     since that may be a secret.
    ///   - key: the key it concerns, if it concerns one.
    ///   - file: the file or the address it concerns.
    ///   - line: the line in the text, from 1.
    ///   - column: the column in the line, in Unicode scalars from 1.
    ///   - errno: the number that the system gave.
    ///   - problems: all that is wrong, where several things can be, ordered by place.
    public init(
        _ code: Code, _ message: String, key: String? = nil, file: String? = nil, line: Int? = nil, column: Int? = nil,
        errno: Int32? = nil, problems: [SettingsProblem] = []
    ) {
        self.code = code
        self.message = message
        self.key = key
        self.file = file
        self.line = line
        self.column = column
        self.errno = errno
        self.problems = problems
    }

    /// An error for problems of which the first one leads the message.
    init(_ code: Code, problems: [SettingsProblem]) {
        let problems = problems.sorted { $0.order < $1.order }
        let first = problems.first
        self.init(
            code, first?.message ?? "\(code)", key: first?.key, file: first?.file, line: first?.line,
            column: first?.column, problems: problems)
    }

    /// What is told of a write that nobody waited for.
    var problem: SettingsProblem {
        SettingsProblem(
            kind: .notWritten, message: "an assignment could not be written and was taken back: \(message)", key: key,
            file: file, line: line ?? 0, column: column ?? 0)
    }

    /// `FILE:LINE:COLUMN: message`, and how many more problems there are.
    public var description: String {
        var text = ""
        if let file {
            text = file
            if let line { text += ":\(line)" }
            if let column { text += ":\(column)" }
            text += ": "
        }
        text += message
        if problems.count > 1 { text += " (and \(problems.count - 1) more)" }
        return text
    }
}

extension SettingsError {
    // So that `catch SettingsError.closed` reads as it should; the constants are described at Code.

    /// See ``Code/invalidKeys``.
    public static var invalidKeys: Code { .invalidKeys }
    /// See ``Code/fileUnusable``.
    public static var fileUnusable: Code { .fileUnusable }
    /// See ``Code/invalidValue``.
    public static var invalidValue: Code { .invalidValue }
    /// See ``Code/notAnObject``.
    public static var notAnObject: Code { .notAnObject }
    /// See ``Code/closed``.
    public static var closed: Code { .closed }
    /// See ``Code/lockTimedOut``.
    public static var lockTimedOut: Code { .lockTimedOut }
    /// See ``Code/permissionDenied``.
    public static var permissionDenied: Code { .permissionDenied }
    /// See ``Code/readOnly``.
    public static var readOnly: Code { .readOnly }
    /// See ``Code/noSpace``.
    public static var noSpace: Code { .noSpace }
    /// See ``Code/inputOutput``.
    public static var inputOutput: Code { .inputOutput }
    /// See ``Code/contended``.
    public static var contended: Code { .contended }
    /// See ``Code/durabilityUnknown``.
    public static var durabilityUnknown: Code { .durabilityUnknown }
    /// See ``Code/tooLarge``.
    public static var tooLarge: Code { .tooLarge }
}

/// Lets `catch SettingsError.closed` catch a ``SettingsError`` of that code.
public func ~= (code: SettingsError.Code, error: any Error) -> Bool {
    (error as? SettingsError)?.code == code
}
