import Foundation

/// How long is measured.
struct Effort {
    let rounds: Int
    /// The least time of one sample, in seconds.
    let sampleTime: Double

    static let full = Effort(rounds: 31, sampleTime: 0.005)
    static let quick = Effort(rounds: 11, sampleTime: 0.002)
}

/// What was measured of a row.
struct RowResult {
    let row: Row
    /// Seconds for one operation, a sample a round.
    let samples: [Double]

    var median: Double { samples.median }
}

/// Measures rows, interleaved: a round takes a sample of each, so that what disturbs the machine disturbs all alike.
struct Runner {
    let effort: Effort

    func measure(_ rows: [Row], progress: (Double) -> Void) async throws -> [RowResult] {
        var counts: [Int] = []
        for row in rows { counts.append(try await calibrate(row)) }
        var samples: [[Double]] = Array(repeating: [], count: rows.count)
        for round in 0..<effort.rounds {
            for (index, row) in rows.enumerated() {
                samples[index].append(try await sample(row, counts[index]))
                progress((Double(round) + Double(index) / Double(rows.count)) / Double(effort.rounds))
            }
        }
        return zip(rows, samples).map { RowResult(row: $0, samples: $1) }
    }

    /// The number of operations that takes the time of a sample. Finding it warms up, too.
    private func calibrate(_ row: Row) async throws -> Int {
        var count = row.operation.granularity
        while true {
            let seconds = try await sample(row, count) * Double(count)
            if seconds >= effort.sampleTime { return count }
            let factor = seconds > 0 ? effort.sampleTime * 1.2 / seconds : 100
            let wanted = Int(Double(count) * min(max(factor, 1.1), 100))
            let granularity = row.operation.granularity
            count = max(count + granularity, (wanted + granularity - 1) / granularity * granularity)
        }
    }

    private func sample(_ row: Row, _ count: Int) async throws -> Double {
        try await row.operation.before()
        let seconds = try await row.operation.sample(count)
        try await row.operation.after()
        return seconds
    }
}

extension Array<Double> {
    /// The value in the middle; 0 for none.
    var median: Double {
        let sorted = sorted()
        guard let last = sorted.last else { return 0 }
        let middle = sorted.count / 2
        guard sorted.count > 1 else { return last }
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
