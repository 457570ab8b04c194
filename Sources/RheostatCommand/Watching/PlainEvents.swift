import Rheostat

/// Lines for people: aligned and coloured on a terminal, bare elsewhere.
struct PlainEvents: EventFormat {
    private let path: String
    private let style: TerminalStyle
    /// The widest key so far, within reason, so that values stand below each other.
    private var width = 0

    /// - Parameter path: the file as the caller named it.
    init(path: String, style: TerminalStyle = .forStandardOutput()) {
        self.path = path
        self.style = style
    }

    mutating func begin(_ values: [(key: String, value: RawJSON?)]) -> [String] {
        for (key, _) in values { widen(for: key) }
        return values.map { key, value in column(key) + " = " + text(value) }
            + [style.faint("following \(path.printable)")]
    }

    mutating func change(_ change: ReportedChange, isLocal: Bool, revision: UInt64) -> String {
        widen(for: change.key)
        return time + column(change.key) + "  " + style.faint(text(change.old)) + " -> " + style.good(text(change.new))
    }

    func problem(_ problem: SettingsProblem) -> String {
        let line = problem.line(naming: path).printable
        return time + (problem.isFileUnusable ? style.bad(line) : style.warning("warning: " + line))
    }

    func resolved() -> String { time + style.good("\(path.printable) can be used again") }

    private var time: String { style.faint(WallClock.timeOfDay()) + "  " }

    private mutating func widen(for key: String) {
        if style.isTerminal { width = max(width, min(40, key.printable.count)) }
    }

    private func column(_ key: String) -> String {
        let key = key.printable
        return style.key(key) + String(repeating: " ", count: max(0, width - key.count))
    }

    private func text(_ value: RawJSON?) -> String { value?.compactText.printable ?? "(not set)" }
}
