import Rheostat

private let count = SettingKey("conformance.count", default: 0)
private let note = SettingKey("conformance.note", default: "")

// A store on the backend keeps its own promises.
extension SettingsBackendConformance {
    var storeChecks: [Check] {
        let increments = options.increments
        var checks: [Check] = [
            check("a store reads what it set, and so does the next one") { scene in
                let settings = try await scene.openStore()
                try scene.expect(settings[count] == 0, "the default at first", found: "\(settings[count])")
                try await settings.set(count, to: 7)
                try await settings.set(note, to: "é\u{0}\n🎛")
                try scene.expect(settings[count] == 7, "the value that was set", found: "\(settings[count])")
                try await settings.close()
                let again = try await scene.openStore()
                try scene.expect(
                    again[count] == 7 && again[note] == "é\u{0}\n🎛", "both values after opening again",
                    found: "\(again[count]), \(again[note].debugDescription)")
                try await again.reset(count)
                try scene.expect(again[count] == 0, "the default after a reset", found: "\(again[count])")
                try await again.close()
            },
            check("a store tells of an edit with old and new value") { scene in
                let settings = try await scene.openStore()
                try await settings.set(count, to: 1)
                let changes = scene.follow(settings.changes(of: count))
                for number in 2...5 {
                    try await scene.place.edit(Array(#"{"conformance": {"count": \#(number)}}"#.utf8))
                    try await scene.wait(for: "a change to \(number)", on: changes) { $0.last?.new == number }
                    let change = changes.value.last
                    try scene.expect(
                        change?.old == number - 1 && change?.cause == .external,
                        "a change from \(number - 1) to \(number) by others",
                        found: change.map { $0.description } ?? "none")
                    try scene.expect(settings[count] == number, "to read \(number)", found: "\(settings[count])")
                }
                try scene.expect(
                    changes.value.count == 4, "one change for each edit", found: "\(changes.value.map(\.description))")
                try await settings.close()
            },
            check("a store keeps the last good values while the text is invalid, and refuses to write") { scene in
                let settings = try await scene.openStore()
                try await settings.set(count, to: 1)
                let problems = scene.follow(settings.problems())
                for (round, invalid) in [#"{"conformance": "#, #"{"conformance": {"count": "x"}}"#].enumerated() {
                    let text = Array(invalid.utf8)
                    let good = round + 2
                    try await scene.place.edit(text)
                    try await scene.wait(for: "a problem with \(invalid)", on: problems) {
                        $0.contains { $0.isFileUnusable && !$0.isResolved }
                    }
                    try scene.expect(
                        settings[count] == good - 1, "the last good value to stay", found: "\(settings[count])")
                    do {
                        try await settings.set(count, to: 99)
                        throw scene.failure("a write over an invalid text to be refused", found: "a write")
                    } catch SettingsError.fileUnusable {}
                    try await scene.expectText(text, "after the refused write")
                    try await scene.place.edit(Array(#"{"conformance": {"count": \#(good)}}"#.utf8))
                    try await scene.wait(for: "the problem to be resolved", on: problems) {
                        $0.last?.isResolved == true
                    }
                    try scene.expect(settings[count] == good, "the next good value", found: "\(settings[count])")
                    problems.update { $0 = [] }
                }
                try await settings.close()
            },
            check("two stores lose no update, and each sees the other's") { scene in
                let (one, other) = (try await scene.openStore(), try await scene.openStore())
                let seen = [scene.follow(one.values(of: count)), scene.follow(other.values(of: count))]
                try await withThrowingTaskGroup { group in
                    for settings in [one, other] {
                        group.addTask { for _ in 0..<increments { try await settings.update { $0[count] += 1 } } }
                    }
                    try await group.waitForAll()
                }
                for values in seen {
                    try await scene.wait(for: "both stores to tell \(increments * 2)", on: values) {
                        $0.last == increments * 2
                    }
                    try scene.expect(
                        values.value == values.value.sorted(), "values that only rise", found: "\(values.value)")
                }
                try await one.close()
                try await other.close()
            },
            check("closing a store ends its streams, keeps its values, and leaves the text to the next") { scene in
                let settings = try await scene.openStore()
                let values = scene.followToEnd(settings.values(of: count))
                let write = Task { try await settings.set(count, to: 3) }
                try await write.value
                try await settings.close()
                try await scene.wait(for: "the end of the stream", on: values) { $0.hasEnded }
                try scene.expect(settings[count] == 3, "the last value to stay", found: "\(settings[count])")
                do {
                    try await settings.set(count, to: 4)
                    throw scene.failure("a write to a closed store to be refused", found: "a write")
                } catch SettingsError.closed {}
                let next = try await scene.openStore()
                try await next.set(count, to: 5)
                try scene.expect(
                    settings[count] == 3 && next[count] == 5, "3 in the closed store and 5 in the next",
                    found: "\(settings[count]) and \(next[count])")
                try await next.close()
            },
        ]
        if options.canBeRemoved {
            checks.append(
                check("a store whose text is removed keeps its values, and makes it again") { scene in
                    let settings = try await scene.openStore()
                    try await settings.update {
                        $0[count] = 1
                        $0[note] = "kept"
                    }
                    let problems = scene.follow(settings.problems())
                    try await scene.place.edit(nil)
                    try await scene.wait(for: "a problem of kind missing", on: problems) {
                        $0.contains { $0.kind == .missing && !$0.isResolved }
                    }
                    try scene.expect(settings[count] == 1, "the last value to stay", found: "\(settings[count])")
                    try await settings.set(count, to: 2)
                    try await scene.wait(for: "the problem to be resolved", on: problems) {
                        $0.last?.isResolved == true
                    }
                    try await settings.close()
                    let next = try await scene.openStore()
                    try scene.expect(
                        next[count] == 2 && next[note] == "kept", "2 and \"kept\"",
                        found: "\(next[count]) and \(next[note].debugDescription)")
                    try await next.close()
                })
        }
        return checks
    }
}

extension ConformanceScene {
    fileprivate func openStore() async throws -> SettingsStore {
        try await SettingsStore.open(.backend(try await place.open()), keys: [count, note])
    }

    /// Gathers what a stream tells.
    fileprivate func follow<Element: Sendable>(_ stream: AsyncStream<Element>) -> Watched<[Element]> {
        let told = Watched<[Element]>([])
        Task { for await element in stream { told.update { $0.append(element) } } }
        return told
    }

    fileprivate func followToEnd<Element: Sendable>(_ stream: AsyncStream<Element>) -> Watched<BackendDriver.Signals> {
        let told = Watched(BackendDriver.Signals())
        Task {
            for await _ in stream { told.update { $0.count += 1 } }
            told.update { $0.hasEnded = true }
        }
        return told
    }
}
