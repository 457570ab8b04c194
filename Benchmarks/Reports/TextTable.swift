/// The table that is printed, at most 120 columns wide.
enum TextTable {
    private static let titleWidth = 46

    static func heading(_ report: Report) -> String {
        let machine = report.machine
        return """
            \(machine.summary)
            \(machine.toolchain)\(machine.commit.map { ", commit \($0)" } ?? "")\(report.isQuick ? ", quick" : "")

            """
    }

    static func table(_ group: GroupResult) -> String {
        var lines = ["\(group.name): \(group.title)", line("", "median", "min – max", "ratio", "target", "")]
        lines.append(String(repeating: "─", count: lines[1].count + 9))
        for row in group.rows {
            let clock = row.clock == "wall" ? " (wall)" : ""
            let range = "\(row.minimum.threeDigits) – \(row.maximum.threeDigits)"
            let ratios = row.ratios.map { ($0.text, $0.targetText, $0.verdict.rawValue) }
            let first = ratios.first ?? ("", "", "")
            lines.append(
                line(
                    row.title + clock, "\(row.median.threeDigits) \(row.unit)", range, first.0, first.1, first.2))
            for ratio in ratios.dropFirst() { lines.append(line("", "", "", ratio.0, ratio.1, ratio.2)) }
        }
        return lines.map { $0.trimmingTrailingBlanks }.joined(separator: "\n") + "\n"
    }

    private static func line(
        _ title: String, _ median: String, _ range: String, _ ratio: String, _ target: String, _ verdict: String
    ) -> String {
        title.padded(to: titleWidth) + median.padded(to: 10, onTheRight: false)
            + range.padded(to: 16, onTheRight: false) + "   "
            + ratio.padded(to: 24) + target.padded(to: 9) + verdict
    }
}

extension String {
    fileprivate var trimmingTrailingBlanks: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
