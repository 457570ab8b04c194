import Rheostat

extension Verb {
    /// `rheostat check`
    static let check = Verb(
        name: "check", operands: "FILE", count: 1...1,
        summary: "say whether a file can be used, and what is wrong with it",
        details: [
            """
            Exit status 0 if the file can be used. Else FILE:LINE:COLUMN: and what is wrong, for each problem, on \
            standard error: exit status 1 for its content, 3 if it is missing or cannot be read.
            """,
            """
            A key that is set more than once is a warning, since the last one counts: it is printed, and the exit \
            status stays 0.
            """,
        ],
        example: ["rheostat check service.json", "service.json:3:11: found `oops`, expected a value"]
    ) { arguments in
        let file = arguments.file
        let settings = try await file.open()
        try file.requireExistence()
        // What stands is delivered although the store is closed; then the stream ends.
        let problems = settings.problems()
        try await settings.close()
        var warnings: [String] = []
        for await problem in problems where problem.kind == .duplicate {
            warnings.append(Failure.line("warning: " + problem.message, at: file.path, problem.line, problem.column))
        }
        StandardStreams.complain(warnings)
    }
}
