/// Rows that are measured interleaved and shown in one table.
struct Group: Sendable {
    let name: String
    /// What the group is about, in a line.
    let title: String
    /// Sets up what the rows need.
    let make: @MainActor @Sendable () async throws -> MadeGroup
}

/// A group that is set up.
struct MadeGroup {
    let rows: [Row]
    /// Takes down what was set up.
    var finish: () async throws -> Void = {}

    /// Those of the given names and the baselines they are compared with, in the group's order.
    func rows(for names: [String]) -> [Row] {
        let asked = rows.filter { names.contains($0.name) }
        let needed = Set(names).union(asked.flatMap { $0.targets.map(\.baseline) })
        return rows.filter { needed.contains($0.name) }
    }
}
