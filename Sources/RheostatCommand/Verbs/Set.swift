import Rheostat

extension Verb {
    /// `rheostat set`
    static let set = Verb(
        name: "set", operands: "FILE KEY VALUE [KEY VALUE]…", count: 3...Int.max, flags: [.string],
        summary: "set keys, all in one atomic commit",
        details: [
            """
            VALUE is taken as JSON if it is JSON, else as a string. With --string each VALUE is a string, whatever it \
            looks like. The file and missing objects are made; every other byte of the file stays as it is, comments \
            included. A value that is there already is not written again.
            """,
            "On exit status 0 all is on the disk. Else nothing was changed.",
        ],
        example: ["rheostat set service.json server.port 9090 log.level debug"]
    ) { arguments in
        let words = arguments.operands.dropFirst()
        guard words.count.isMultiple(of: 2) else {
            throw Failure.usage("set: \(quoted(words.last ?? "")) has no value", help: "set")
        }
        var pairs: [(key: String, value: RawJSON)] = []
        var rest = words
        while let key = rest.popFirst(), let text = rest.popFirst() {
            pairs.append((key, try value(text, isString: arguments.has(.string))))
        }
        let settings = try await arguments.file.open()
        try await settings.update { [pairs] transaction throws in
            for (key, value) in pairs { try transaction.setRaw(key, to: value) }
        }
    }

    private static func value(_ text: String, isString: Bool) throws -> RawJSON {
        if !isString, let value = try? RawJSON(text) { return value }
        return try RawJSON(string: text)
    }
}
