/// What a standing problem is about; one stands for each at a time.
enum ProblemSubject: Hashable, Sendable {
    /// The file as a whole.
    case file
    /// The value that stands for a key.
    case value(String)
    /// A path that stands in the file more than once.
    case duplicate(String)
    /// How the file is watched.
    case watching
    /// How the file is written.
    case writing
    /// The declaration of a key.
    case key(String)
    /// A value that was assigned to a key and refused. Over as soon as the key gets another.
    case assignment(String)
    /// Assignments that could not be written. Over with the next write.
    case unwritten

    /// Whether what the file holds decides it: settled anew with each reading.
    var isAboutContent: Bool {
        switch self {
        case .file, .value, .duplicate, .assignment: true
        case .watching, .writing, .key, .unwritten: false
        }
    }
}

/// The problems that stand, and who follows them. Guarded by the publication lock.
struct ProblemBoard: Sendable {
    private(set) var standing: [ProblemSubject: SettingsProblem] = [:]
    var receivers = SlotMap<Mailbox<PendingProblems>>()

    /// Whether the file cannot be used at the moment.
    var unusable: [SettingsProblem] { standing.values.filter(\.isFileUnusable).sorted { $0.order < $1.order } }

    /// Puts `problems` in the place of all that stand and fulfil `isConcerned`.
    ///
    /// New ones are told before those that they replace are told to be resolved: a follower who counts sees no moment
    /// without a problem.
    mutating func replace(
        _ isConcerned: (ProblemSubject, SettingsProblem) -> Bool, by problems: [ProblemSubject: SettingsProblem],
        _ wakes: inout Wakes
    ) {
        let before = standing.filter { isConcerned($0.key, $0.value) }
        var events: [SettingsProblem] = []
        for (subject, problem) in problems where before[subject] != problem {
            standing[subject] = problem
            events.append(problem)
        }
        events.sort { $0.order < $1.order }
        for (subject, problem) in before where problems[subject] != problem {
            if problems[subject] == nil { standing[subject] = nil }
            var resolved = problem
            resolved.isResolved = true
            events.append(resolved)
        }
        guard !events.isEmpty else { return }
        receivers.forEach { $0.offer(&wakes) { pending in events.forEach { pending.join($0) } } }
    }

    mutating func finish(_ wakes: inout Wakes) {
        receivers.forEach { $0.finish(&wakes) }
        receivers = SlotMap()
    }
}

extension SettingsProblem {
    /// The order in which several are told: by place.
    var order: (Int, Int, String) { (line ?? 0, column ?? 0, message) }
}

/// Problems that a follower has not taken. A problem that came and went meanwhile is left out, so what is kept is bounded
/// by what stands and what was taken.
struct PendingProblems: MailboxContent {
    private var queue: [SettingsProblem] = []
    private var first = 0

    init(standing: [SettingsProblem]) { queue = standing.sorted { $0.order < $1.order } }

    mutating func join(_ problem: SettingsProblem) {
        if problem.isResolved {
            var raised = problem
            raised.isResolved = false
            if let untold = queue[first...].firstIndex(of: raised) {
                queue.remove(at: untold)
                return
            }
        } else {
            var resolved = problem
            resolved.isResolved = true
            if let untold = queue[first...].firstIndex(of: resolved) {
                queue.remove(at: untold)
                return
            }
        }
        queue.append(problem)
    }

    mutating func take() -> SettingsProblem? {
        guard first < queue.count else { return nil }
        defer {
            first += 1
            if first == queue.count {
                queue = []
                first = 0
            }
        }
        return queue[first]
    }
}
