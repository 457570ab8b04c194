import Testing

@testable import Rheostat

@Suite struct SettingKeyTests {
    @Test(arguments: ["", ".", "a..b", "a.", ".a", "a\\", "a\\x", "a\nb", String(repeating: "k", count: 70_000)])
    func `a malformed name of a declared key makes open throw`(name: String) async throws {
        let key = SettingKey(name, default: 1)
        let error = await #expect(throws: SettingsError.self) { try await SettingsStore.inMemory(keys: [key]) }
        #expect(error?.code == .invalidKeys)
        #expect(error?.problems.map(\.kind) == [.malformedKey])
        #expect(error.map { $0.message.utf8.count < 200 } == true)
    }

    @Test func `a malformed key met later reads its default, cannot be written and is a problem`() async throws {
        let settings = try await SettingsStore.inMemory()
        let key = SettingKey("a..b", default: 7)
        #expect(settings[key] == 7)
        await #expect { try await settings.set(key, to: 8) } throws: { SettingsError.invalidKeys ~= $0 }
        var problems = settings.problems().makeAsyncIterator()
        #expect(await problems.next()?.kind == .malformedKey)
    }

    @Test(arguments: ["héllo wörld", "a@b", "a/b", "日本", "a b.c d"])
    func `names hold whatever people write`(name: String) async throws {
        let key = SettingKey(name, default: 0)
        let settings = try await SettingsStore.inMemory(keys: [key])
        var changes = settings.changes(of: key).makeAsyncIterator()
        try await settings.set(key, to: 5)
        #expect(settings[key] == 5)
        #expect(await changes.next()?.new == 5)
    }

    @Test func `an escaped dot belongs to the name`() async throws {
        let key = SettingKey("hosts.example\\.org", default: 0)
        let backend = MemoryBackend(#"{"hosts": {"example.org": 3}}"#)
        let settings = try await SettingsStore.open(.backend(backend), keys: [key])
        #expect(settings[key] == 3)
    }

    @Test func `making the same key again gives the same index and grows nothing`() {
        let first = SettingKey("interned.once", default: 1)
        let count = KeyInterning.shared.count
        for _ in 0..<10_000 {
            let again = SettingKey("interned.once", default: 1)
            #expect(again.index == first.index)
        }
        // Other tests make keys meanwhile, but not thousands.
        #expect(KeyInterning.shared.count - count < 5_000)
    }

    @Test func `a default that differs each time does not grow the table for ever`() {
        let indices = Set((0..<10_000).map { SettingKey("interned.unstable", default: $0).index })
        #expect(indices.count <= KeyInterning.maximumDefaults)
    }

    @Test func `two types for one name make open throw`() async {
        let error = await #expect(throws: SettingsError.self) {
            try await SettingsStore.inMemory(keys: [
                SettingKey("twice", default: 1), SettingKey("twice", default: "one"),
            ])
        }
        #expect(error?.code == .invalidKeys)
        #expect(error?.message == "key \"twice\" is declared both as Int and as String")
    }

    @Test func `two defaults for one name make open throw`() async {
        let error = await #expect(throws: SettingsError.self) {
            try await SettingsStore.inMemory(keys: [SettingKey("twice", default: 1), SettingKey("twice", default: 2)])
        }
        #expect(error?.message == "key \"twice\" is declared with two defaults")
    }

    @Test func `a name inside another makes open throw, and all problems are listed`() async {
        let error = await #expect(throws: SettingsError.self) {
            try await SettingsStore.inMemory(keys: [
                SettingKey("outer", default: [String: Int]()), SettingKey("outer.inner", default: 1),
                SettingKey("bad..name", default: 1),
            ])
        }
        #expect(Set(error?.problems.map(\.kind) ?? []) == [.conflictingKeys, .malformedKey])
        #expect(error?.problems.count == 2)
    }

    @Test func `the same key may be declared twice`() async throws {
        _ = try await SettingsStore.inMemory(keys: [.port, .port])
    }

    @Test func `of conflicting keys met later the second reads its default and cannot be written`() async throws {
        let settings = try await SettingsStore.open(.backend(MemoryBackend(#"{"late": 5}"#)))
        let number = SettingKey("late", default: 1)
        let text = SettingKey("late", default: "none")
        #expect(settings[number] == 5)
        #expect(settings[text] == "none")
        await #expect { try await settings.set(text, to: "x") } throws: { SettingsError.invalidKeys ~= $0 }
        #expect(settings[number] == 5)
    }

    @Test func `a default that its own rules refuse makes open throw`() async {
        let error = await #expect(throws: SettingsError.self) {
            try await SettingsStore.inMemory(keys: [SettingKey("low", default: 0, in: 1...9)])
        }
        #expect(error?.message == "low: the default is not allowed: expected a value in 1...9")
    }

    @Test func `a description shows name and type and no value`() {
        #expect("\(SettingKey("api.token", default: "hunter2", secret: true))" == "api.token: String")
    }
}
