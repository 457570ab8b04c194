import Rheostat

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// How the tool ends.
enum ExitStatus: Int32 {
    /// What was asked for is done.
    case done = 0
    /// A key is absent, or content is invalid.
    case absentOrInvalid = 1
    /// The tool was called wrongly.
    case usage = 2
    /// The system did not let it: input, output or permission.
    case inputOutput = 3
}

/// Why the tool ends early: lines for standard error, and the exit status.
struct Failure: Error {
    let status: ExitStatus
    let lines: [String]

    init(_ status: ExitStatus, lines: [String]) {
        self.status = status
        self.lines = lines
    }

    /// A failure told in one line after the tool's name.
    init(_ status: ExitStatus, _ message: String) { self.init(status, lines: ["rheostat: " + message]) }

    /// A wrong call.
    ///
    /// - Parameter verb: the verb whose help says how to call it right; `nil` for the overview.
    static func usage(_ message: String, help verb: String? = nil) -> Failure {
        Failure(.usage, "\(message); see rheostat help" + (verb.map { " " + $0 } ?? ""))
    }

    /// Nobody reads what is written: the end, without a word.
    static let outputClosed = Failure(.done, lines: [])

    /// What an error of the library means for the caller. This is the only place that knows.
    ///
    /// - Parameter file: the file as the caller named it, which reads better than the absolute path.
    init(_ error: any Error, file: String?) {
        guard let error = error as? SettingsError else {
            self.init(.inputOutput, "\(error)")
            return
        }
        let lines =
            error.problems.isEmpty
            ? [Self.line(error.message, at: error.file.map { file ?? $0 }, error.line, error.column)]
            : error.problems.map { $0.line(naming: file) }
        self.init(Self.status(of: error), lines: lines)
    }

    private static func status(of error: SettingsError) -> ExitStatus {
        switch error.code {
        case .invalidKeys: .usage
        case .invalidValue, .notAnObject: .absentOrInvalid
        case .fileUnusable:
            !error.problems.isEmpty && error.problems.allSatisfy(\.isAboutContent) ? .absentOrInvalid : .inputOutput
        default: .inputOutput
        }
    }

    /// `FILE:LINE:COLUMN: message` if there is a place, else the message after the tool's name.
    static func line(_ message: String, at file: String?, _ line: Int?, _ column: Int?) -> String {
        guard let file else { return "rheostat: " + message }
        guard let line else { return "rheostat: \(file): \(message)" }
        return "\(file):\(line):" + (column.map { "\($0):" } ?? "") + " " + message
    }

    /// Says why and ends the process.
    func end() -> Never {
        StandardStreams.complain(lines)
        exit(status.rawValue)
    }
}

extension SettingsProblem {
    /// `FILE:LINE:COLUMN: message`, with the file as the caller named it.
    func line(naming given: String?) -> String { Failure.line(message, at: file.map { given ?? $0 }, line, column) }

    /// Whether a person with an editor mends it, and not one with `chmod`.
    var isAboutContent: Bool {
        switch kind {
        case .unreadable, .notAFile, .missing, .tooLarge: false
        default: true
        }
    }
}
