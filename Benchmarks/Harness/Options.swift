import Foundation

/// What the command line asks for.
struct Options {
    struct Invalid: Error, CustomStringConvertible {
        let description: String
    }

    static let help = """
        Measures Rheostat beside what one would otherwise use.

        usage: swift run -c release Benchmarks [options]

          --filter GROUP[/ROW]  measure one group, or its rows whose name begins with ROW (may be repeated)
          --quick               fewer and shorter rounds: all within a minute
          --check               exit 1 when a target is missed by more than \(Int((Target.slack - 1) * 100)) %
          --output DIR          write benchmarks.md, benchmarks.json and a chart for each group, GROUP.svg, to DIR
          --list                print the names of the rows
          --help                print this
        """

    var selection = Selection()
    var isQuick = false
    var mustCheck = false
    var wantsList = false
    var wantsHelp = false
    var output: URL?

    init(_ arguments: some Sequence<String>) throws {
        var rest = Array(arguments)[...]
        func value(of option: String) throws -> String {
            guard let value = rest.popFirst() else { throw Invalid(description: "\(option) needs a value") }
            return value
        }
        while let argument = rest.popFirst() {
            switch argument {
            case "--filter": selection.filters.append(try value(of: argument))
            case "--output": output = URL(fileURLWithPath: try value(of: argument), isDirectory: true)
            case "--quick": isQuick = true
            case "--check": mustCheck = true
            case "--list": wantsList = true
            case "--help", "-h": wantsHelp = true
            default: throw Invalid(description: "unknown option \(argument)")
            }
        }
    }
}

/// The rows that were asked for; all when no filter was given.
struct Selection {
    var filters: [String] = []

    /// Whether a row of `group` may have been asked for.
    func includes(_ group: Group) -> Bool {
        filters.isEmpty || filters.contains { Filter($0).group == group.name }
    }

    /// The rows of `group`, set up as `made`, that were asked for.
    func rows(of group: Group, _ made: MadeGroup) -> [Row] {
        let own = filters.map(Filter.init).filter { $0.group == group.name }
        return own.isEmpty ? made.rows : made.rows.filter { row in own.contains { row.name.hasPrefix($0.row) } }
    }

    private struct Filter {
        let group: String
        /// The beginning of the rows' names; empty for all.
        let row: String

        init(_ text: String) {
            let parts = text.split(separator: "/", maxSplits: 1).map(String.init)
            group = parts.first ?? ""
            row = parts.count > 1 ? parts[1] : ""
        }
    }
}
