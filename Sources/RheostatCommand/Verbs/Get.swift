import Rheostat

extension Verb {
    /// `rheostat get`
    static let get = Verb(
        name: "get", operands: "FILE KEY", count: 2...2, flags: [.json],
        summary: "print the value of a key",
        details: [
            """
            Prints a string as its bare text, anything else as JSON, as it stands in the file. With --json strings are \
            printed as JSON too, and comments and line breaks inside the value are left out.
            """,
            "An absent key is exit status 1, a missing file 3.",
        ],
        example: ["rheostat get service.json server.port", "8080"]
    ) { arguments in
        let file = arguments.file
        let key = arguments.operands[1]
        let settings = try await file.open()
        guard let value = try settings.raw.value(of: key) else {
            try file.requireExistence()
            throw Failure(.absentOrInvalid, "\(file.path): \(quoted(key)) is not set")
        }
        if arguments.has(.json) {
            try StandardStreams.print(value.compactText)
        } else if value.kind == .string {
            guard let string = value.string else {
                throw Failure(
                    .absentOrInvalid, "\(file.path): \(quoted(key)) holds half of a surrogate pair; --json prints it")
            }
            try StandardStreams.print(string)
        } else {
            try StandardStreams.print(value.text)
        }
    }
}
