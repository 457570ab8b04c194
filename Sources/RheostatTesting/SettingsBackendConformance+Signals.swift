import Rheostat

// "Look again": never missed, never piled up, and ended by the closing.
extension SettingsBackendConformance {
    var signalChecks: [Check] {
        let edits = options.unheardEdits
        var checks: [Check] = [
            check("an edit gives a signal, after which it is loaded") { scene in
                let driver = try await scene.open()
                driver.listen()
                _ = await driver.load(isFirst: true)
                for number in 1...10 {
                    let text = Array("{\"n\": \(number)}".utf8)
                    let seen = driver.signals.value.count
                    try await scene.place.edit(text)
                    try await scene.follow(driver, after: seen, to: scene.describe(text)) { $0.text == text }
                }
            },
            check("an edit before the first load gives a signal or is loaded") { scene in
                let driver = try await scene.open()
                driver.listen()
                let text = Array("{\"early\": true}".utf8)
                try await scene.place.edit(text)
                if await driver.load(isFirst: true).text != text {
                    try await scene.follow(driver, after: 0, to: scene.describe(text)) { $0.text == text }
                }
            },
            check("a commit through another backend gives a signal, after which it is loaded") { scene in
                let (one, other) = (try await scene.open(), try await scene.open())
                for driver in [one, other] {
                    driver.listen()
                    _ = await driver.load(isFirst: true)
                }
                for number in 1...10 {
                    let (writer, reader) = number.isMultiple(of: 2) ? (one, other) : (other, one)
                    let text = Array("{\"n\": \(number)}".utf8)
                    let seen = reader.signals.value.count
                    try await writer.commit { _ in text }
                    try await scene.follow(reader, after: seen, to: scene.describe(text)) { $0.text == text }
                }
            },
            check("after a commit nothing else is loaded until others write") { scene in
                let driver = try await scene.open()
                driver.listen()
                _ = await driver.load(isFirst: true)
                for number in 1...10 {
                    let own = Array("{\"own\": \(number)}".utf8)
                    let foreign = Array("{\"foreign\": \(number)}".utf8)
                    try await driver.commit { _ in own }
                    let now = await driver.load()
                    if let text = now.text { try scene.expect(text == own, "the own text", found: scene.describe(now)) }
                    let seen = driver.signals.value.count
                    try await scene.place.edit(foreign)
                    try await scene.follow(driver, after: seen, to: scene.describe(foreign)) { reading in
                        guard let text = reading.text else { return false }
                        if text == foreign { return true }
                        throw scene.failure(
                            "\(scene.describe(own)) only until \(scene.describe(foreign)) is loaded",
                            found: scene.describe(text))
                    }
                }
            },
            check("signals that nobody takes are joined") { scene in
                let driver = try await scene.open()
                _ = await driver.load(isFirst: true)
                for number in 1...edits {
                    try await scene.place.edit(Array("{\"n\": \(number)}".utf8))
                    _ = await driver.load()
                }
                try await scene.expectLoad(Array("{\"n\": \(edits)}".utf8), by: driver, "after many edits")
                await driver.close()
                driver.listen()
                try await scene.wait(for: "the end of the signals after close", on: driver.signals) { $0.hasEnded }
                let count = driver.signals.value.count
                try scene.expect(count <= 1, "at most one signal to wait after \(edits) edits", found: "\(count)")
            },
            check("closing ends the signals, also when it is done again and by several") { scene in
                let driver = try await scene.open()
                driver.listen()
                try await driver.commit { _ in Array("{}".utf8) }
                let backend = driver.backend
                await withTaskGroup { group in
                    for _ in 0..<4 { group.addTask { backend.close() } }
                }
                try await scene.wait(for: "the end of the signals", on: driver.signals) { $0.hasEnded }
                backend.close()
                let count = driver.signals.value.count
                try await scene.place.edit(Array("{\"after\": \"the end\"}".utf8))
                // What is heard through another backend would have been heard by now.
                let other = try await scene.open()
                other.listen()
                _ = await other.load(isFirst: true)
                let text = Array("{\"after\": \"all\"}".utf8)
                try await scene.place.edit(text)
                try await scene.follow(other, after: 0, to: scene.describe(text)) { $0.text == text }
                let now = driver.signals.value.count
                try scene.expect(now == count, "no signal after the end", found: "\(now - count)")
            },
            check("closing one backend leaves another on the same place alone") { scene in
                let (one, other) = (try await scene.open(), try await scene.open())
                one.listen()
                other.listen()
                _ = await other.load(isFirst: true)
                await one.close()
                let text = Array("{\"n\": 1}".utf8)
                try await scene.place.edit(text)
                try await scene.follow(other, after: 0, to: scene.describe(text)) { $0.text == text }
                try await other.commit { ($0.text ?? []) + Array("\n".utf8) }
                try await scene.expectText(text + Array("\n".utf8), "after the other one's commit")
            },
        ]
        if options.canBeRemoved {
            checks.append(
                check("a removal gives a signal, after which nothing is loaded, and so does a new text") { scene in
                    let driver = try await scene.open()
                    driver.listen()
                    try await driver.commit { _ in Array("{\"n\": 1}".utf8) }
                    _ = await driver.load(isFirst: true)
                    for number in 2...4 {
                        var seen = driver.signals.value.count
                        try await scene.place.edit(nil)
                        try await scene.follow(driver, after: seen, to: "missing") { $0.isMissing }
                        let text = Array("{\"n\": \(number)}".utf8)
                        seen = driver.signals.value.count
                        try await scene.place.edit(text)
                        try await scene.follow(driver, after: seen, to: scene.describe(text)) { $0.text == text }
                    }
                })
        }
        return checks
    }
}
