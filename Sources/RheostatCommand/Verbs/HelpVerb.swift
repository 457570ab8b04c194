extension Verb {
    /// `rheostat help`
    static let help = Verb(
        name: "help", operands: "[VERB]", count: 0...1,
        summary: "explain the tool, or one verb",
        details: ["Without VERB an overview; with VERB all about it. rheostat VERB --help is the same."],
        example: ["rheostat help watch"]
    ) { arguments in
        guard let name = arguments.operands.first else { return try StandardStreams.print(Help.overview) }
        guard let verb = named(name) else { throw Failure.usage("there is no verb \(quoted(name))") }
        try StandardStreams.print(Help.text(of: verb))
    }
}
