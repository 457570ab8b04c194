import Rheostat

/// Prints what happens to a file, event by event.
///
/// Commits and problems come by two streams; the actor makes one sequence of lines of them. A line is written before the
/// next one is made.
actor EventReporter {
    private let keys: [String]?
    private var format: any EventFormat
    /// What keeps the file from being used: the problems that were told and are not resolved.
    private var standing: Set<ProblemIdentity> = []

    /// - Parameter keys: the keys that are followed; `nil` for every value that is no object.
    init(following keys: [String]?, _ format: any EventFormat) {
        self.keys = keys
        self.format = format
    }

    /// Prints the values at the start, and that all that follows is news.
    func begin(with now: RawSnapshot) throws {
        let values: [(key: String, value: RawJSON?)] =
            if let keys {
                try keys.map { ($0, try now.value(of: $0)) }
            } else {
                try now.entries().map { ($0.path, $0.value) }
            }
        try print(format.begin(values))
    }

    /// Prints what of a commit is followed.
    func report(_ commit: RawCommit) throws {
        let changes: [ReportedChange] =
            if let keys {
                try keys.compactMap { key in
                    let old = try commit.old.value(of: key)
                    let new = try commit.new.value(of: key)
                    return old == new ? nil : ReportedChange(key: key, old: old, new: new)
                }
            } else {
                commit.changes.map { ReportedChange(key: $0.path, old: $0.old, new: $0.new) }
            }
        let isLocal = commit.cause == .local
        for change in changes {
            try print([format.change(change, isLocal: isLocal, revision: commit.revision)])
        }
    }

    /// Prints a problem, or that the file can be used again when the last one that stood is resolved.
    func report(_ problem: SettingsProblem) throws {
        let identity = ProblemIdentity(problem)
        if !problem.isResolved {
            guard problem.concernsWatching else { return }
            if problem.isFileUnusable { standing.insert(identity) }
            try print([format.problem(problem)])
        } else if standing.remove(identity) != nil, standing.isEmpty {
            try print([format.resolved()])
        }
    }

    private func print(_ lines: [String]) throws {
        for line in lines { try StandardStreams.print(line) }
    }
}

/// One change as it is printed.
struct ReportedChange: Sendable {
    let key: String
    /// The value before; `nil` if nothing was set.
    let old: RawJSON?
    /// The value since; `nil` if nothing is set.
    let new: RawJSON?
}

/// What tells one problem from another, whether it stands or is resolved.
private struct ProblemIdentity: Hashable {
    let kind: SettingsProblem.Kind
    let message: String
    let key: String?
    let file: String?
    let line: Int?
    let column: Int?

    init(_ problem: SettingsProblem) {
        kind = problem.kind
        message = problem.message
        key = problem.key
        file = problem.file
        line = problem.line
        column = problem.column
    }
}

extension SettingsProblem {
    /// Whether it is about what is read; a watch writes nothing.
    fileprivate var concernsWatching: Bool { isFileUnusable || [.invalid, .duplicate, .degraded].contains(kind) }
}
