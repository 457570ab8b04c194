import Synchronization
import Testing

@testable import Rheostat

/// The ways a value is read: a word of the table, two words of the cell, or the cell's lock.
@Suite struct ReadPathTests {
    private let word = SettingKey("read.word", default: 1)
    private let pair = SettingKey<Int?>("read.pair")
    private let text = SettingKey("read.text", default: "short")

    /// Reads without knowing the type, so by the general way.
    private func read<Value: SettingValue>(_ key: SettingKey<Value>, in settings: SettingsStore) -> Value {
        settings[key]
    }

    @Test func `a generic function reads what a typed read reads`() async throws {
        let settings = try await SettingsStore.inMemory(keys: [word, pair, text])
        for number in 0..<100 {
            try await settings.set(word, to: number)
            try await settings.set(pair, to: number % 3 == 0 ? nil : number)
            try await settings.set(text, to: String(repeating: "x", count: number % 40))
            #expect(settings[word] == number)
            #expect(settings[word] == read(word, in: settings))
            #expect(settings[pair] == (number % 3 == 0 ? nil : number))
            #expect(settings[pair] == read(pair, in: settings))
            #expect(settings[text].utf8.count == number % 40)
            #expect(settings[text] == read(text, in: settings))
        }
    }

    @Test func `an optional integer and a short text are read without a lock, a long text is not`() async throws {
        let settings = try await SettingsStore.inMemory(keys: [pair, text])
        _ = (settings[pair], settings[text])
        func hasWords<Value>(_ key: SettingKey<Value>) throws -> Bool {
            try #require(settings.publication.cell(for: key)).words.load() != nil
        }
        #expect(try hasWords(pair))
        #expect(try hasWords(text))
        try await settings.set(text, to: "a text that is too long to be kept in sixteen bytes")
        #expect(try !hasWords(text))
        #expect(settings[text] == "a text that is too long to be kept in sixteen bytes")
        try await settings.set(text, to: "back")
        #expect(try hasWords(text))
        #expect(settings[text] == "back")
    }

    @Test func `two words are never torn while they are being replaced`() async throws {
        let settings = try await SettingsStore.inMemory(keys: [text])
        // Each value says in both of its words which it is.
        func value(_ number: Int) -> String { String(repeating: String(number % 10), count: 15) }
        try await settings.set(text, to: value(0))
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    var torn = 0
                    while !Task.isCancelled {
                        for _ in 0..<200 {
                            let now = settings[text]
                            if Set(now.utf8).count != 1 || ![15, 30].contains(now.utf8.count) { torn += 1 }
                        }
                        // The writer needs a thread of the pool too.
                        await Task.yield()
                    }
                    return torn
                }
            }
            for number in 1...300 {
                // Every seventh is too long for the words.
                let new = number % 7 == 0 ? value(number) + value(number) : value(number)
                do { try await settings.set(text, to: new) } catch { Issue.record(error) }
            }
            group.cancelAll()
            for await torn in group { #expect(torn == 0) }
        }
    }

    @Test func `cells keep their places while the table grows`() async throws {
        let settings = try await SettingsStore.inMemory()
        let keys = (0..<3_000).map { SettingKey("growth.k\($0)", default: $0) }
        for (number, key) in keys.enumerated() { #expect(settings[key] == number) }
        for (number, key) in keys.enumerated() { #expect(settings[key] == number) }
    }

    @Test func `entries of all chunks are apart from each other`() {
        let table = CellTable()
        defer { table.deallocate() }
        for index in [0, 1, 30, 31, 32, 95, 96, 97, 5_000, 100_000] {
            unsafe table.makeEntry(at: index).pointee.cell.store(UInt(index) << 1 + 2, ordering: .relaxed)
        }
        for index in [0, 1, 30, 31, 32, 95, 96, 97, 5_000, 100_000] {
            #expect(unsafe table.cell(at: index).map(UInt.init(bitPattern:)) == UInt(index) << 1 + 2)
        }
        #expect(unsafe table.cell(at: 2) == nil)
        #expect(unsafe table.entry(at: 1_000_000) == nil)
    }
}
