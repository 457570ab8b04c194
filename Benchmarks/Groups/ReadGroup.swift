import Foundation
import Rheostat
import Synchronization

extension Group {
    /// The typed read, from another module than the library.
    static let read = Group(name: "read", title: "one typed read, 1,000 keys in turn unless it says otherwise") {
        try await ReadGroup().made
    }
}

private struct ReadGroup {
    let samples: ReadSamples
    let preferences: PreferencesPeer
    let sink = Sink()

    init() async throws {
        samples = try await ReadSamples()
        preferences = try PreferencesPeer(samples.integerValues)
    }

    var made: MadeGroup {
        MadeGroup(rows: integerRows + valueRows + concurrentRows) {
            preferences.remove()
            try await samples.settings.close()
        }
    }

    private var integerRows: [Row] {
        [
            Row(
                "int", "settings[.int]",
                targets: [
                    .atMost(0.1, of: "dictionary", "dictionary"), .atMost(4, of: "array", "array"),
                    .atMost(0.005, of: "userDefaults", "UserDefaults"),
                ], integers),
            Row("staticInt", "settings[.port], one static key", staticKey),
            Row("array", "Array<Int> element", arrayElements),
            Row("dictionary", "Dictionary<String, Int> look-up", dictionaryLookUps),
            Row("lockedDictionary", "Mutex<Dictionary<String, Int>> look-up", lockedLookUps),
            Row("actor", "actor around a dictionary", actorLookUps),
            Row("userDefaults", "UserDefaults.integer(forKey:)", userDefaultsLookUps),
        ]
    }

    private var valueRows: [Row] {
        [
            Row(
                "threeKeys", "settings[a, b, c] at one revision",
                targets: [.atMost(5, of: "threeReads", "single reads")], threeKeys),
            Row("threeReads", "three single reads", threeReads),
            Row(
                "shortString", "settings[.string], up to 15 bytes",
                targets: [.atMost(0.6, of: "stringDictionary", "dictionary")],
                values(of: samples.shortTexts)),
            Row(
                "longString", "settings[.string], 40 bytes",
                targets: [.atMost(0.6, of: "stringDictionary", "dictionary")],
                values(of: samples.longTexts)),
            Row(
                "struct", "settings[.codableStruct]", targets: [.atMost(1, of: "stringDictionary", "dictionary")],
                values(of: samples.plans)),
            Row("stringDictionary", "Dictionary<String, String> look-up", stringLookUps),
        ]
    }

    private var concurrentRows: [Row] {
        [
            Row(
                "busyInt", "settings[.int] while a task commits", targets: [.atMost(1.3, of: "int", "quiet")],
                integersWhileCommitting),
            Row("oneThread", "one thread, all keys", allKeys(threads: 1)),
            Row(
                "twoThreads", "two threads, all keys", targets: [.atLeast(1.6, times: "oneThread", "one thread")],
                allKeys(threads: 2)),
            Row("oneThreadOneKey", "one thread, the same key", sameKey(threads: 1)),
            Row(
                "twoThreadsOneKey", "two threads, the same key",
                targets: [.atLeast(1.6, times: "oneThreadOneKey", "one thread")], sameKey(threads: 2)),
        ]
    }

    // MARK: Our reads

    private var integers: Row.Operation {
        let (settings, keys, sink) = (samples.settings, StandingKeys(samples.integers), sink)
        return .loop(operations: keys.count) { passes in
            for _ in 0..<passes {
                for index in 0..<keys.count { keys.read(index) { sink.take(settings[$0]) } }
            }
        }
    }

    private var staticKey: Row.Operation {
        let (settings, sink) = (samples.settings, sink)
        return .loop(operations: 100) { passes in
            for _ in 0..<(100 * passes) { sink.take(settings[.staticPort]) }
        }
    }

    private var threeKeys: Row.Operation {
        let (settings, keys, sink) = (samples.settings, samples.integers, sink)
        let (a, b, c) = (keys[1], keys[500], keys[999])
        return .loop(operations: 100) { passes in
            for _ in 0..<(100 * passes) {
                let (one, two, three) = settings[a, b, c]
                sink.take(one)
                sink.take(two)
                sink.take(three)
            }
        }
    }

    private var threeReads: Row.Operation {
        let (settings, keys, sink) = (samples.settings, samples.integers, sink)
        let (a, b, c) = (keys[1], keys[500], keys[999])
        return .loop(operations: 100) { passes in
            for _ in 0..<(100 * passes) {
                sink.take(settings[a])
                sink.take(settings[b])
                sink.take(settings[c])
            }
        }
    }

    private func values(of keys: [SettingKey<String>]) -> Row.Operation {
        let (settings, keys, sink) = (samples.settings, StandingKeys(keys), sink)
        return .loop(operations: keys.count) { passes in
            for _ in 0..<passes {
                for index in 0..<keys.count { keys.read(index) { sink.take(settings[$0]) } }
            }
        }
    }

    private func values(of keys: [SettingKey<RetryPlan>]) -> Row.Operation {
        let (settings, keys, sink) = (samples.settings, StandingKeys(keys), sink)
        return .loop(operations: keys.count) { passes in
            for _ in 0..<passes {
                for index in 0..<keys.count { keys.read(index) { sink.take(settings[$0]) } }
            }
        }
    }

    private var integersWhileCommitting: Row.Operation {
        var operation = integers
        let writer = Writer(samples.settings, samples.integers)
        operation.before = { try await writer.start() }
        operation.after = { try await writer.stop() }
        return operation
    }

    private func allKeys(threads: Int) -> Row.Operation {
        let (settings, keys) = (samples.settings, StandingKeys(samples.integers))
        return .parallel(threads: threads, operations: keys.count) { passes in
            let sink = Sink()
            for _ in 0..<passes {
                for index in 0..<keys.count { keys.read(index) { sink.take(settings[$0]) } }
            }
        }
    }

    private func sameKey(threads: Int) -> Row.Operation {
        let (settings, key) = (samples.settings, samples.integers[0])
        return .parallel(threads: threads, operations: 1_000) { passes in
            let sink = Sink()
            for _ in 0..<(passes * 1_000) { sink.take(settings[key]) }
        }
    }

    // MARK: What else one would use

    private var arrayElements: Row.Operation {
        // By numbers out of another array, as keys come from somewhere: a plain walk is done several elements at once.
        let (values, places, sink) = (samples.integers.map { samples.settings[$0] }, Array(0..<ReadSamples.count), sink)
        return .loop(operations: places.count) { passes in
            for _ in 0..<passes {
                for place in places { sink.take(values[place]) }
            }
        }
    }

    private var dictionaryLookUps: Row.Operation {
        let (values, names, sink) = (samples.integerValues, samples.integerNames, sink)
        return .loop(operations: names.count) { passes in
            for _ in 0..<passes {
                for name in names { sink.take(values[name] ?? 0) }
            }
        }
    }

    private var stringLookUps: Row.Operation {
        let (values, names, sink) = (samples.textValues, samples.longTexts.map(\.name), sink)
        return .loop(operations: names.count) { passes in
            for _ in 0..<passes {
                for name in names { sink.take(values[name] ?? "") }
            }
        }
    }

    private var userDefaultsLookUps: Row.Operation {
        let (defaults, names, sink) = (preferences.defaults, samples.integerNames, sink)
        return .loop(operations: names.count) { passes in
            for _ in 0..<passes {
                for name in names { sink.take(defaults.integer(forKey: name)) }
            }
        }
    }

    private var lockedLookUps: Row.Operation {
        let (values, names, sink) = (LockedDictionary(samples.integerValues), samples.integerNames, sink)
        return .loop(operations: names.count) { passes in
            for _ in 0..<passes {
                for name in names { sink.take(values.value(name)) }
            }
        }
    }

    private var actorLookUps: Row.Operation {
        let (values, names, sink) = (ActorDictionary(samples.integerValues), samples.integerNames, sink)
        return .awaited { count in
            for index in 0..<count { sink.take(await values.value(names[index % names.count])) }
        }
    }
}
