/// The report as a page.
enum MarkdownReport {
    static func text(_ report: Report) -> String {
        let machine = report.machine
        var lines = [
            "# Benchmarks", "",
            "\(machine.summary); \(machine.toolchain)\(machine.commit.map { "; commit \($0)" } ?? ""); \(machine.date)"
                + (report.isQuick ? "; quick" : "") + ".",
        ]
        for group in report.groups {
            lines += [
                "", "## \(group.name)", "", "\(group.title).", "", "![\(group.name)](\(group.name).svg)", "",
                "| what | median | min – max | ratio | target | |",
                "|---|---:|---:|---|---|---|",
            ]
            for row in group.rows {
                let columns = [
                    row.title + (row.clock == "wall" ? " (wall)" : ""), "\(row.median.threeDigits) \(row.unit)",
                    "\(row.minimum.threeDigits) – \(row.maximum.threeDigits)",
                    row.ratios.map(\.text).joined(separator: "<br>"),
                    row.ratios.map(\.targetText).joined(separator: "<br>"),
                    row.ratios.map(\.verdict.rawValue).joined(separator: "<br>"),
                ]
                lines.append("| " + columns.joined(separator: " | ") + " |")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
