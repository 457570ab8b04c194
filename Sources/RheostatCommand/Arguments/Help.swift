/// The texts of `rheostat help`, made from the table of verbs.
enum Help {
    /// All columns a line may have.
    static let width = 80

    /// What the tool is and which verbs it has.
    static var overview: String {
        var lines = [
            "rheostat reads, writes and follows settings files.",
            "",
            "Usage: rheostat VERB …",
            "",
        ]
        lines += Verb.all.map { "  " + $0.name.padded(to: 11) + $0.summary }
        lines += ["", "Examples:"]
        lines += Verb.all.compactMap { verb in verb.example.first.map { "  " + $0 } }
        lines.append("")
        lines += wrapped(
            """
            FILE is JSON, or JSON with comments and trailing commas. KEY is a dotted path: server.port names the member \
            "port" of the object "server", and also a member written "server.port". In KEY, \\. is a dot that belongs \
            to a name. After -- nothing is a flag.
            """)
        lines += [
            "",
            "Exit status: 0 done, 1 absent key or invalid content, 2 wrong call,",
            "3 input, output or permission trouble. Errors go to standard error.",
            "",
            "rheostat help VERB tells more; rheostat --version prints the version.",
        ]
        return lines.joined(separator: "\n")
    }

    /// All about one verb.
    static func text(of verb: Verb) -> String {
        var lines = wrapped("Usage: " + verb.synopsis, indent: 4)
        for paragraph in verb.details { lines += [""] + wrapped(paragraph) }
        lines += ["", "Example:"] + verb.example.map { "  " + $0 }
        return lines.joined(separator: "\n")
    }

    /// `text` in lines of at most ``width`` columns; those after the first begin with `indent` spaces.
    private static func wrapped(_ text: String, indent: Int = 0) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = String(repeating: " ", count: indent) + word
            } else {
                line += (line.isEmpty ? "" : " ") + word
            }
        }
        return lines + [line]
    }
}
