import Rheostat

extension Verb {
    /// `rheostat unset`
    static let unset = Verb(
        name: "unset", operands: "FILE KEY…", count: 2...Int.max,
        summary: "remove keys, all in one atomic commit",
        details: [
            """
            Removes the members in every spelling, nested and written flat, with the comments that belong to them. A \
            key that is absent already is no error, and nothing is written for it.
            """
        ],
        example: ["rheostat unset service.json server.proxy"]
    ) { arguments in
        let keys = arguments.operands.dropFirst()
        let settings = try await arguments.file.open()
        try await settings.update { transaction throws in
            for key in keys { try transaction.removeRaw(key) }
        }
    }
}
