import Foundation

/// A group's medians as horizontal bars on a logarithmic scale, readable on light and dark pages.
enum BarChart {
    private static let width = 860.0
    private static let labelWidth = 340.0
    private static let barWidth = 420.0
    private static let rowHeight = 26.0
    private static let top = 64.0

    static func svg(_ group: GroupResult) -> String {
        let rows = group.rows.filter { $0.median > 0 }
        let smallest = rows.map(\.median).min() ?? 1
        let largest = rows.map(\.median).max() ?? 1
        // From the power of ten below the smallest to the one above the largest.
        let low = log10(smallest).rounded(.down)
        let high = max(log10(largest).rounded(.up), low + 1)
        func length(_ value: Double) -> Double { (log10(value) - low) / (high - low) * barWidth }

        let height = top + rowHeight * Double(rows.count) + 16
        var svg = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width.plain)" height="\(height.plain)" \
            viewBox="0 0 \(width.plain) \(height.plain)" role="img" \
            aria-label="\(escaped(group.name)): \(escaped(group.title))" font-family="sans-serif" font-size="13">
            <style>
            text { fill: #24292f } .quiet { fill: #57606a } .ours { fill: #0969da } .peer { fill: #8c959f }
            .line { stroke: #d0d7de }
            @media (prefers-color-scheme: dark) {
              text { fill: #e6edf3 } .quiet { fill: #9198a1 } .ours { fill: #4493f8 } .peer { fill: #656c76 }
              .line { stroke: #3d444d }
            }
            </style>
            <text x="12" y="24" font-size="16" font-weight="bold">\(escaped(group.name)): \(escaped(group.title))</text>

            """
        for power in Int(low)...Int(high) {
            let x = (labelWidth + length(pow(10, Double(power)))).rounded()
            svg += """
                <line class="line" x1="\(x.plain)" y1="\((top - 6).plain)" x2="\(x.plain)" \
                y2="\((height - 12).plain)"/>
                <text class="quiet" x="\(x.plain)" y="\((top - 12).plain)" text-anchor="middle" \
                font-size="11">\(pow(10, Double(power)).plain) \(escaped(rows.first?.unit ?? ""))</text>

                """
        }
        for (index, row) in rows.enumerated() {
            let y = top + rowHeight * Double(index)
            let bar = max(length(row.median), 2).rounded()
            let kind = row.ratios.isEmpty ? "peer" : "ours"
            svg += """
                <text x="\((labelWidth - 8).plain)" y="\((y + 15).plain)" text-anchor="end">\(escaped(row.title))</text>
                <rect class="\(kind)" x="\(labelWidth.plain)" y="\((y + 3).plain)" width="\(bar.plain)" height="17" \
                rx="2"/>
                <text class="quiet" x="\((labelWidth + bar + 6).plain)" y="\((y + 15).plain)" \
                font-size="12">\(row.median.threeDigits) \(escaped(row.unit))</text>

                """
        }
        return svg + "</svg>\n"
    }

    private static func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
            .replacingOccurrences(of: "\"", with: "&quot;")
    }
}
