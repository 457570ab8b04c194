import Locking
import Rheostat

// One backend by itself: what is committed is what is there.
extension SettingsBackendConformance {
    var textChecks: [Check] {
        let largeTextSize = options.largeTextSize
        return [
            check("nothing is there at first, and looking makes nothing") { scene in
                let driver = try await scene.open()
                for isFirst in [true, false] {
                    let reading = await driver.load(isFirst: isFirst)
                    try scene.expect(
                        reading.isMissing, "a first load to find nothing", found: scene.describe(reading))
                }
                try await driver.commit { reading in
                    try scene.expect(
                        reading.isMissing, "the first commit to find nothing", found: scene.describe(reading))
                    return nil
                }
                try await scene.expectText(nil, "after nothing was written")
            },
            check("the first commit makes the text, and says so") { scene in
                let driver = try await scene.open()
                let text = Array("{}\n".utf8)
                let done = try await driver.commit { _ in text }
                try scene.expect(done.text == text, "the outcome to hold the text", found: scene.describe(done.text))
                try scene.expect(
                    done.durabilityUnknown == nil, "the outcome to be sure", found: "\(done.durabilityUnknown, or: "")")
                try await scene.expectText(text, "after the first commit")
                try await scene.expectLoad(text, by: driver, "after the first commit")
            },
            check("a text is kept byte for byte") { scene in
                let driver = try await scene.open()
                for text in texts(upTo: largeTextSize) {
                    let done = try await driver.commit { _ in text }
                    try scene.expect(
                        done.text == text, "the outcome to hold \(scene.describe(text))",
                        found: scene.describe(done.text))
                    try await scene.expectText(text, "after its commit")
                    try await scene.expectLoad(text, by: driver, "after its commit")
                    try await driver.commit { reading in
                        try scene.expect(
                            reading.text == text, "the next commit to read \(scene.describe(text))",
                            found: scene.describe(reading))
                        return nil
                    }
                }
            },
            check("another backend opened later reads the same bytes") { scene in
                let driver = try await scene.open()
                for text in texts(upTo: largeTextSize) {
                    try await driver.commit { _ in text }
                    let other = try await scene.open()
                    try await scene.expectLoad(text, by: other, "through another backend")
                    await other.close()
                }
            },
            check("a transform that returns nil writes nothing") { scene in
                let driver = try await scene.open()
                let text = Array("{\"a\": 1}".utf8)
                try await driver.commit { _ in text }
                let done = try await driver.commit { _ in nil }
                try scene.expect(done.text == nil, "an outcome without a text", found: scene.describe(done.text))
                try await scene.expectText(text, "after a commit of nothing")
                try await scene.expectLoad(text, by: driver, "after a commit of nothing")
            },
            check("a transform that throws changes nothing, and its error is passed on") { scene in
                let driver = try await scene.open()
                try await scene.expectError(of: driver, "before there was a text")
                try await scene.expectText(nil, "after an error")
                let text = Array("{\"a\": 1}".utf8)
                try await driver.commit { _ in text }
                try await scene.expectError(of: driver, "when there was a text")
                try await scene.expectText(text, "after an error")
                // Nothing is left behind, such as a lock.
                let next = Array("{\"a\": 2}".utf8)
                try await driver.commit { _ in next }
                try await scene.expectText(next, "after the commit that followed an error")
            },
            check("the place is always the same") { scene in
                let driver = try await scene.open()
                let location = driver.backend.location
                var now: [String?] = []
                try await driver.commit { _ in Array("{}".utf8) }
                now.append(driver.backend.location)
                try await scene.place.edit(Array("{ }".utf8))
                _ = await driver.load(isFirst: true)
                now.append(driver.backend.location)
                await driver.close()
                now.append(driver.backend.location)
                try scene.expect(
                    now.allSatisfy { $0 == location }, "the place to be \(location, or: "nil") always", found: "\(now)")
            },
        ]
    }
}

extension DefaultStringInterpolation {
    fileprivate mutating func appendInterpolation<Value>(_ value: Value?, or nothing: String) {
        if let value { appendInterpolation(value) } else { appendLiteral(nothing) }
    }
}

private struct OwnError: Error, Equatable { let number: Int }

extension ConformanceScene {
    /// A commit whose transform throws throws the same.
    fileprivate func expectError(of driver: BackendDriver, _ when: String) async throws {
        do {
            try await driver.commit { _ in throw OwnError(number: 7) }
            throw failure("the error of the transform \(when)", found: "a commit that did not throw")
        } catch let error as OwnError {
            try expect(error.number == 7, "the error of the transform \(when)", found: "\(error)")
        } catch let error as ConformanceFailure {
            throw error
        } catch {
            throw failure("the error of the transform \(when)", found: "\(error)")
        }
    }
}

/// Texts that a careless backend does not give back as they are.
private func texts(upTo size: Int) -> [[UInt8]] {
    let beginning = "{\n  \"filler\": \""
    let end = "\"\n}\n"
    let filler = String(repeating: "0123456789 äöü€🎛 ", count: size / 24 + 1)
    var large = Array((beginning + filler).utf8.prefix(max(0, size - end.utf8.count)))
    // Not in the middle of a scalar.
    while let last = large.last, last >= 0x80 { large.removeLast() }
    large += Array(end.utf8)
    return [
        "{\"a\": 1}",
        "\u{FEFF}{\"a\": 1}\n",
        "{\r\n  \"a\": 1, // eins\r\n}\r\n",
        "{\"a\": 1}\n\n\n\t \n",
        "{\"naïve\": \"e\u{301} é — 日本語 🎛️ \u{2028}\"} /* ohne Zeilenende */",
        "{\"nul\": \"a\u{0}b\"}",
        " ",
    ].map { Array($0.utf8) } + [large, Array("{}".utf8)]
}
