import Rheostat

extension Verb {
    /// `rheostat watch`
    static let watch = Verb(
        name: "watch", operands: "FILE [KEY]…", count: 1...Int.max, flags: [.json],
        summary: "follow a file's changes until interrupted",
        details: [
            """
            Prints the values of the KEYs, or of every key if none is named, and then each change, whatever program \
            made it, until SIGINT or SIGTERM ends it with exit status 0. A KEY may name an object or an array. The \
            file need not exist yet. While it cannot be used the last good values stay, and what is wrong is told.
            """,
            """
            --json prints one object a line: "value" events, one "ready", then "change" events with old and new \
            value, "problem" with kind and place, and "resolved" when the file can be used again. The changes of one \
            commit have the same revision. On a terminal lines are coloured, unless NO_COLOR is set.
            """,
        ],
        example: [
            "rheostat watch service.json server.port --json",
            #"{"event":"value","key":"server.port","value":8080}"#,
            #"{"event":"ready"}"#,
            #"{"event":"change","key":"server.port","old":8080,"new":9090,"#,
            #"  "origin":"file","revision":2}"#,
        ]
    ) { arguments in
        let ending = EndSignals()
        let file = arguments.file
        let keys = arguments.operands.dropFirst().reduce(into: [String]()) { keys, key in
            if !keys.contains(key) { keys.append(key) }
        }
        let settings = try await file.follow()
        let (now, commits) = settings.raw.observe()
        let problems = settings.problems()
        let followed = keys.isEmpty ? nil : keys
        let format: any EventFormat = arguments.has(.json) ? JSONEvents() : PlainEvents(path: file.path)
        let reporter = EventReporter(following: followed, format)
        try await reporter.begin(with: now)
        try await withThrowingTaskGroup { group in
            group.addTask { for await commit in commits { try await reporter.report(commit) } }
            group.addTask { for await problem in problems { try await reporter.report(problem) } }
            group.addTask { [signals = ending.signals] in for await _ in signals { return } }
            // The first one to end ends all: a signal, or an output that cannot be written.
            defer { group.cancelAll() }
            try await group.next()
        }
        withExtendedLifetime(ending) {}
        try await settings.close()
    }
}
