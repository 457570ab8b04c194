import Foundation

/// All that a run found out, as it is written to JSON.
struct Report: Codable {
    let machine: Machine
    let isQuick: Bool
    var groups: [GroupResult] = []

    /// Writes the report in all forms.
    func write(to directory: URL) throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        func write(_ text: String, _ name: String) throws {
            try Data(text.utf8).write(to: directory.appendingPathComponent(name))
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(self).write(to: directory.appendingPathComponent("benchmarks.json"))
        try write(MarkdownReport.text(self), "benchmarks.md")
        for group in groups { try write(BarChart.svg(group), group.name + ".svg") }
    }
}

/// A group's table.
struct GroupResult: Codable {
    let name: String
    let title: String
    let rows: [RowReport]

    /// Sentences about what missed its target by more than the slack.
    var failures: [String] { rows.flatMap { row in row.failures.map { "\(name)/\(row.name): " + $0 } } }

    var hasFailures: Bool { !failures.isEmpty }

    init(name: String, title: String, results: [RowResult], asked: [String]) {
        self.name = name
        self.title = title
        rows = results.map { RowReport($0, among: results, isAsked: asked.contains($0.row.name)) }
    }
}

/// One row's figures.
struct RowReport: Codable {
    let name: String
    let title: String
    /// `ns` or `MB/s`.
    let unit: String
    /// `CPU` or `wall`.
    let clock: String
    let median: Double
    let minimum: Double
    let maximum: Double
    let ratios: [RatioReport]

    init(_ result: RowResult, among results: [RowResult], isAsked: Bool) {
        let row = result.row
        let figures: [Double]
        switch row.unit {
        case .time:
            unit = "ns"
            figures = result.samples.map { $0 * 1e9 }
        case .megabytesPerSecond(let bytes):
            unit = "MB/s"
            figures = result.samples.map { Double(bytes) / $0 / 1e6 }
        }
        name = row.name
        title = row.title
        clock = row.operation.clock.rawValue
        median = figures.median
        minimum = figures.min() ?? 0
        maximum = figures.max() ?? 0
        ratios =
            isAsked
            ? row.targets.compactMap { target in
                results.first { $0.row.name == target.baseline }.map { RatioReport(target, result, $0) }
            } : []
    }

    var failures: [String] {
        ratios.filter { $0.verdict == .missed }.map { "\($0.text), target \($0.targetText)" }
    }
}

/// A row's ratio to a baseline.
struct RatioReport: Codable {
    enum Verdict: String, Codable {
        case met
        /// Missed, by no more than the slack.
        case withinSlack = "in slack"
        case missed = "MISSED"
    }

    let baseline: String
    let label: String
    /// In time when `isAtMost`, in speed otherwise: the median of the rounds' ratios.
    let ratio: Double
    let limit: Double
    let isAtMost: Bool
    let verdict: Verdict

    init(_ target: Target, _ result: RowResult, _ baseline: RowResult) {
        // Samples of one round were taken under the same conditions.
        let times = zip(result.samples, baseline.samples).map { $0 / $1 }
        self.baseline = target.baseline
        label = target.label
        switch target.bound {
        case .atMost(let limit):
            ratio = times.median
            self.limit = limit
            isAtMost = true
            verdict = ratio <= limit ? .met : ratio <= limit * Target.slack ? .withinSlack : .missed
        case .atLeast(let limit):
            ratio = times.map { 1 / $0 }.median
            self.limit = limit
            isAtMost = false
            verdict = ratio >= limit ? .met : ratio >= limit / Target.slack ? .withinSlack : .missed
        }
    }

    var text: String { "\(ratio.threeDigits) × \(label)" }
    var targetText: String { (isAtMost ? "≤ " : "≥ ") + limit.plain }
}
