#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Colours, where there are any.
struct TerminalStyle: Sendable {
    /// Whether a person looks on.
    let isTerminal: Bool
    /// Whether the person wants colours.
    let isColoured: Bool

    /// What standard output allows: colours on a terminal, unless `NO_COLOR` is set (no-color.org) or it is a dumb one.
    static func forStandardOutput() -> TerminalStyle {
        let isTerminal = StandardStreams.outputIsTerminal
        let wantsColours = (variable("NO_COLOR") ?? "").isEmpty && variable("TERM") != "dumb"
        return TerminalStyle(isTerminal: isTerminal, isColoured: isTerminal && wantsColours)
    }

    func key(_ text: String) -> String { coloured(text, "1") }
    func good(_ text: String) -> String { coloured(text, "32") }
    func bad(_ text: String) -> String { coloured(text, "31") }
    func warning(_ text: String) -> String { coloured(text, "33") }
    func faint(_ text: String) -> String { coloured(text, "2") }

    private func coloured(_ text: String, _ code: String) -> String {
        isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }

    private static func variable(_ name: String) -> String? {
        // Sound: nothing in this process changes its environment, and the text is copied.
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }
}
