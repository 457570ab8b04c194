import Foundation

/// `swift run -c release Benchmarks`: see ``Options/help``.
@main
struct BenchmarkCommand {
    @MainActor
    static func main() async {
        do {
            exit(try await run(try Options(CommandLine.arguments.dropFirst())))
        } catch let error as Options.Invalid {
            printError("\(error)\n\n\(Options.help)")
            exit(64)
        } catch {
            printError("error: \(error)")
            exit(70)
        }
    }

    /// Measures what was asked for and gives the exit status.
    @MainActor
    private static func run(_ options: Options) async throws -> Int32 {
        if options.wantsHelp {
            print(Options.help)
            return 0
        }
        let groups = allGroups.filter(options.selection.includes)
        guard !groups.isEmpty else { throw Options.Invalid(description: "no group is called that; --list shows them") }
        if options.wantsList {
            for group in groups {
                let made = try await group.make()
                options.selection.rows(of: group, made).forEach { print("\(group.name)/\($0.name)") }
                try await made.finish()
            }
            return 0
        }
        #if DEBUG
            printError("warning: this is a debug build; its figures mean nothing (swift run -c release Benchmarks)")
        #endif

        var report = Report(machine: .current, isQuick: options.isQuick)
        print(TextTable.heading(report))
        let effort = options.isQuick ? Effort.quick : .full
        for group in groups {
            var result = try await measure(group, options.selection, effort)
            // A busy machine can spoil a run; what is really too slow is so again.
            for _ in 0..<2 where options.mustCheck && result.hasFailures {
                printError("\(group.name): a target was missed, measuring again")
                result = try await measure(group, options.selection, effort)
            }
            print(TextTable.table(result))
            report.groups.append(result)
        }
        if let directory = options.output { try report.write(to: directory) }
        guard options.mustCheck else { return 0 }
        let failures = report.groups.flatMap(\.failures)
        print(failures.isEmpty ? "All targets are met within the slack." : "Missed by more than the slack:")
        failures.forEach { print("  " + $0) }
        return failures.isEmpty ? 0 : 1
    }

    @MainActor
    private static func measure(_ group: Group, _ selection: Selection, _ effort: Effort) async throws -> GroupResult {
        let made = try await group.make()
        let asked = selection.rows(of: group, made).map(\.name)
        let progress = Progress(group.name)
        let results = try await Runner(effort: effort).measure(made.rows(for: asked)) { progress.show($0) }
        progress.clear()
        try await made.finish()
        return GroupResult(name: group.name, title: group.title, results: results, asked: asked)
    }
}

func printError(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
}
