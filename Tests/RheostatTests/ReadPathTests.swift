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

    @Test func `an optional integer is read without a lock`() async throws {
        let settings = try await SettingsStore.inMemory(keys: [pair])
        _ = settings[pair]
        #expect(try #require(settings.publication.cell(for: pair)).words.load() != nil)
        try await settings.set(pair, to: 5)
        #expect(try #require(settings.publication.cell(for: pair)).words.load()?.0 == 5)
        #expect(settings[pair] == 5)
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
