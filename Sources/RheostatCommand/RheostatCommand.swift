import Rheostat

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The `rheostat` tool: settings files from the command line.
@main
struct RheostatCommand {
    /// What `--version` prints.
    static let version = "0.1.0"

    static func main() async {
        StandardStreams.prepare()
        var file: String?
        do {
            try await run(try Arguments.ofThisProcess(), file: &file)
            exit(ExitStatus.done.rawValue)
        } catch let failure as Failure {
            failure.end()
        } catch {
            Failure(error, file: file).end()
        }
    }

    /// Finds the verb and runs it; leaves in `file` which one the call is about.
    private static func run(_ words: [String], file: inout String?) async throws {
        guard let first = words.first else { throw Failure.usage("no verb given") }
        switch first {
        case "--version": return try StandardStreams.print("rheostat \(version)")
        case "--help", "-h": return try StandardStreams.print(Help.overview)
        default: break
        }
        guard let verb = Verb.named(first) else {
            throw Failure.usage("there is no verb \(quoted(first))")
        }
        let arguments = try Arguments(words.dropFirst(), of: verb)
        if arguments.has(.help) { return try StandardStreams.print(Help.text(of: verb)) }
        try arguments.checkCount()
        file = arguments.operands.first
        try await verb.run(arguments)
    }
}
