import Rheostat

extension Verb {
    /// `rheostat increment`
    static let increment = Verb(
        name: "increment", operands: "FILE KEY [BY]", count: 2...3,
        summary: "add to an integer and print the sum",
        details: [
            """
            Adds BY, or 1, to the integer at KEY and prints the sum. The file is locked from reading to writing: no \
            increment of another process is lost. BY may be negative. An absent key counts as 0.
            """,
            """
            A value that is no integer of 64 bits, or would not be one afterwards, is left as it is: exit status 1.
            """,
        ],
        example: ["rheostat increment state.json visits 5", "47"]
    ) { arguments in
        let key = arguments.operands[1]
        let text = arguments.operands.count > 2 ? arguments.operands[2] : "1"
        guard let step = Int64(text) else {
            throw Failure.usage("increment: \(quoted(text)) is no integer of 64 bits", help: "increment")
        }
        let file = arguments.file
        let settings = try await file.open()
        let sum = try await settings.update { transaction in
            let sum = try Self.sum(of: try transaction.raw(key), and: step, at: key, in: file)
            try transaction.setRaw(key, to: try RawJSON("\(sum)"))
            return sum
        }
        try StandardStreams.print("\(sum)")
    }

    private static func sum(
        of value: RawJSON?, and step: Int64, at key: String, in file: SettingsFile
    ) throws -> Int64 {
        guard let value else { return step }
        guard value.kind == .number, let old = try? value.decode(as: Int64.self) else {
            throw Failure(.absentOrInvalid, "\(file.path): \(quoted(key)) is no integer of 64 bits")
        }
        let (sum, overflows) = old.addingReportingOverflow(step)
        guard !overflows else {
            throw Failure(.absentOrInvalid, "\(file.path): \(quoted(key)) would be no integer of 64 bits any more")
        }
        return sum
    }
}
