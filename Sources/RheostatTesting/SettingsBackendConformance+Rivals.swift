import Locking
import Rheostat

// Others write to the same place.
extension SettingsBackendConformance {
    var rivalChecks: [Check] {
        let increments = options.increments
        var checks: [Check] = [
            check("a commit sees the newest text") { scene in
                let (one, other) = (try await scene.open(), try await scene.open())
                for number in 1...5 {
                    let text = Array("{\"n\": \(number)}".utf8)
                    try await (number.isMultiple(of: 2) ? one : other).commit { reading in
                        let before = number == 1 ? nil : Array("{\"n\": \(number - 1)}".utf8)
                        try scene.expect(
                            reading.text == before, "a commit to see what the other backend committed last",
                            found: scene.describe(reading))
                        return text
                    }
                }
                try await scene.expectLoad(Array("{\"n\": 5}".utf8), by: one, "at the end")
                try await scene.expectLoad(Array("{\"n\": 5}".utf8), by: other, "at the end")
            },
            check("an edit between a load and a commit is seen by the commit") { scene in
                let driver = try await scene.open()
                try await driver.commit { _ in Array("{\"n\": 1}".utf8) }
                _ = await driver.load()
                let edited = Array("{\"n\": 2, \"by\": \"hand\"}".utf8)
                try await scene.place.edit(edited)
                let seen = Watched<[String]>([])
                let done = try await driver.commit { reading in
                    seen.update { $0.append(scene.describe(reading)) }
                    return (reading.text ?? []) + Array("\n".utf8)
                }
                try scene.expect(
                    done.text == edited + Array("\n".utf8), "the commit to see the edit", found: "\(seen.value)")
                try await scene.expectText(edited + Array("\n".utf8), "after the edit and the commit")
            },
            check("a first commit does not replace a text that appeared") { scene in
                let driver = try await scene.open()
                _ = await driver.load(isFirst: true)
                let edited = Array("{\"by\": \"hand\"}".utf8)
                try await scene.place.edit(edited)
                try await driver.commit { ($0.text ?? []) + Array("\n".utf8) }
                try await scene.expectText(edited + Array("\n".utf8), "after the first commit")
            },
            check("commits through two backends lose nothing") { scene in
                let (one, other) = (try await scene.open(), try await scene.open())
                try await withThrowingTaskGroup { group in
                    for driver in [one, other] {
                        group.addTask {
                            for _ in 0..<increments {
                                let made = Watched<[UInt8]?>(nil)
                                let done = try await driver.commit { reading in
                                    let text = Array("\(try scene.number(in: reading) + 1)\n".utf8)
                                    made.update { $0 = text }
                                    return text
                                }
                                try scene.expect(
                                    done.text == made.value, "the outcome of the last run of the transform",
                                    found: scene.describe(done.text))
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                try await scene.expectText(Array("\(increments * 2)\n".utf8), "after all commits")
                for driver in [one, other] {
                    try await scene.expectLoad(Array("\(increments * 2)\n".utf8), by: driver, "after all commits")
                }
            },
        ]
        if options.editsDuringCommit {
            checks.append(
                check("an edit during a commit is not lost") { scene in
                    for isFirst in [true, false] {
                        let driver = try await scene.open()
                        let gate = Gate("in the transform", isClosed: true)
                        defer { gate.open() }
                        let commit = Task {
                            try await driver.commit { reading in
                                gate.passBlocking()
                                return (reading.text ?? []) + Array("own\n".utf8)
                            }
                        }
                        try await gate.waitUntilReached(within: scene.options.waitLimit)
                        let edited = Array("\(isFirst ? "first" : "second") edit\n".utf8)
                        try await scene.place.edit(edited)
                        gate.open()
                        let done = try await commit.value
                        let merged = edited + Array("own\n".utf8)
                        try scene.expect(
                            done.text == merged, "the transform to be run again with the edit",
                            found: scene.describe(done.text))
                        try await scene.expectText(merged, "after the edit and the commit")
                        await driver.close()
                    }
                })
        }
        if options.canBeRemoved {
            checks.append(
                check("a text that was removed is missing, and the next commit makes it") { scene in
                    let driver = try await scene.open()
                    try await driver.commit { _ in Array("{\"n\": 1}".utf8) }
                    try await scene.place.edit(nil)
                    let reading = await driver.load(isFirst: true)
                    try scene.expect(
                        reading.isMissing, "a load to find nothing after the removal", found: scene.describe(reading))
                    let text = Array("{\"n\": 2}".utf8)
                    try await driver.commit { reading in
                        try scene.expect(
                            reading.isMissing, "a commit to find nothing after the removal",
                            found: scene.describe(reading))
                        return text
                    }
                    try await scene.expectText(text, "after the commit that followed the removal")
                })
        }
        return checks
    }
}

extension ConformanceScene {
    fileprivate func number(in reading: SettingsBackendReading) throws -> Int {
        guard let text = reading.text else {
            try expect(reading.isMissing, "a number or nothing", found: describe(reading))
            return 0
        }
        guard let number = Int(String(decoding: text.dropLast(), as: UTF8.self)) else {
            throw failure("a number", found: describe(text))
        }
        return number
    }
}
