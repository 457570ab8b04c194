import Foundation

/// Says on standard error how far a group is, when it takes long and a terminal shows it.
final class Progress {
    private let name: String
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let start = ThreadClock.wall
    private var last: Double
    private var isShown = false

    init(_ name: String) {
        self.name = name
        last = start
    }

    /// Shows the part that is done, once a second on a terminal and each ten seconds elsewhere.
    func show(_ part: Double) {
        let now = ThreadClock.wall
        guard now - last > (isTerminal ? 0.5 : 10) else { return }
        last = now
        isShown = true
        let text = "\(name): \(Int(part * 100)) %, \(Int(now - start)) s"
        if isTerminal { write("\r\u{1B}[K" + text) } else { write(text + "\n") }
    }

    /// Removes what was shown.
    func clear() {
        if isTerminal, isShown { write("\r\u{1B}[K") }
    }

    private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
