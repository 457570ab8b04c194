import Testing

@testable import Rheostat

@Suite struct SettingValueTests {
    /// What `text` under the key `v` reads as, or the message of why not.
    func read<Value: SettingValue>(
        _ text: String, default defaultValue: Value, _ key: SettingKey<Value>? = nil
    ) async throws -> Result<Value, SettingsError> {
        let key = key ?? SettingKey("v", default: defaultValue)
        do {
            let settings = try await SettingsStore.open(.backend(MemoryBackend(#"{"v": \#(text)}"#)), keys: [key])
            return .success(settings[key])
        } catch let error as SettingsError {
            return .failure(error)
        }
    }

    func expect<Value: SettingValue>(
        _ text: String, reads value: Value, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        // Each value is read over a default of its own type that it is not.
        let key = SettingKey<Value?>("v")
        let settings = try await SettingsStore.open(.backend(MemoryBackend(#"{"v": \#(text)}"#)), keys: [key])
        #expect(settings[key].map { $0.isSame(as: value) } == true, sourceLocation: sourceLocation)
    }

    func expect<Value: SettingValue>(
        _ text: String, isNo type: Value.Type, _ message: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let key = SettingKey<Value?>("v")
        let error = await #expect(throws: SettingsError.self, sourceLocation: sourceLocation) {
            try await SettingsStore.open(.backend(MemoryBackend(#"{"v": \#(text)}"#)), keys: [key])
        }
        #expect(error?.code == .fileUnusable, sourceLocation: sourceLocation)
        #expect(error?.line == 1 && error?.column == 7, sourceLocation: sourceLocation)
        if let message { #expect(error?.message == message, sourceLocation: sourceLocation) }
    }

    @Test func `an integer of each width holds its bounds and nothing beyond`() async throws {
        func check<I: FixedWidthInteger & SettingValue>(_: I.Type) async throws {
            try await expect("\(I.min)", reads: I.min)
            try await expect("\(I.max)", reads: I.max)
            let above = "\(I.max)".dropLast() + (I.max % 10 == 7 ? "8" : "6")
            try await expect(String(above), isNo: I.self)
            try await expect(I.isSigned ? "\(I.min)0" : "-1", isNo: I.self)
        }
        try await check(Int8.self)
        try await check(Int16.self)
        try await check(Int32.self)
        try await check(Int64.self)
        try await check(Int.self)
        try await check(UInt8.self)
        try await check(UInt16.self)
        try await check(UInt32.self)
        try await check(UInt64.self)
        try await check(UInt.self)
    }

    @Test func `an integral number with a fraction or exponent is an integer`() async throws {
        try await expect("8080.0", reads: 8080)
        try await expect("1e3", reads: 1000)
        try await expect("12.50e1", reads: 125)
        try await expect("-0", reads: 0)
    }

    @Test func `nothing else is taken for an integer`() async throws {
        try await expect("1.5", isNo: Int.self, "v: expected an integer, found the number 1.5")
        try await expect(#""1""#, isNo: Int.self, #"v: expected an integer, found the string "1""#)
        try await expect("true", isNo: Int.self, "v: expected an integer, found true")
        try await expect("[1]", isNo: Int.self, "v: expected an integer, found an array")
        try await expect("1e99999999999", isNo: Int.self)
    }

    @Test func `nothing else is taken for a boolean`() async throws {
        try await expect("true", reads: true)
        for text in ["1", "0", #""true""#, #""yes""#, "[]"] { try await expect(text, isNo: Bool.self) }
    }

    @Test func `numbers are doubles unless that would change an integer or be infinite`() async throws {
        try await expect("0.1", reads: 0.1)
        try await expect("3", reads: 3.0)
        try await expect("-0.0", reads: -0.0)
        try await expect("9007199254740992", reads: 9_007_199_254_740_992.0)
        try await expect("9007199254740993", isNo: Double.self)
        try await expect("1e999", isNo: Double.self)
        try await expect("0.1", reads: Float(0.1))
        try await expect("1e39", isNo: Float.self)
    }

    @Test func `strings keep every character`() async throws {
        try await expect(#""a\u00e9\n\"\\\/😀\uD83D\uDE00""#, reads: "aé\n\"\\/😀😀")
        try await expect(#""\uD83D""#, isNo: String.self)
    }

    @Test func `absent, null and default are three things`() async throws {
        let optional = SettingKey<Int?>("v", default: 5)
        func value(_ text: String) async throws -> Int? {
            try await SettingsStore.open(.backend(MemoryBackend(text)), keys: [optional])[optional]
        }
        #expect(try await value("{}") == 5)
        #expect(try await value(#"{"v": null}"#) == nil)
        #expect(try await value(#"{"v": 6}"#) == 6)
        let error = await #expect(throws: SettingsError.self) {
            let key = SettingKey("v", default: 5)
            return try await SettingsStore.open(.backend(MemoryBackend(#"{"v": null}"#)), keys: [key])
        }
        #expect(error?.message == "v: expected an integer, found null")
    }

    @Test func `nil is written as null and stays apart from absent`() async throws {
        let optional = SettingKey<Int?>("v", default: 5)
        let backend = MemoryBackend("{}")
        let settings = try await SettingsStore.open(.backend(backend), keys: [optional])
        try await settings.set(optional, to: nil)
        #expect(settings[optional] == nil)
        #expect(backend.currentText?.contains("null") == true)
        try await settings.reset(optional)
        #expect(settings[optional] == 5)
    }

    @Test func `one bad element makes the whole array invalid and says which`() async throws {
        try await expect("[1, 2]", reads: [1, 2])
        try await expect("[]", reads: [Int]())
        let key = SettingKey("v", default: [Int]())
        let error = await #expect(throws: SettingsError.self) {
            try await SettingsStore.open(.backend(MemoryBackend(#"{"v": [1, "two"]}"#)), keys: [key])
        }
        #expect(error?.message == #"v: expected an integer in [1], found the string "two""#)
        #expect(error?.column == 11)
    }

    @Test func `dictionaries are keyed by strings, integers and enumerations`() async throws {
        try await expect(#"{"b": 2, "a": 1}"#, reads: ["a": 1, "b": 2])
        try await expect(#"{"1": "x", "-2": "y"}"#, reads: [1: "x", -2: "y"])
        try await expect(#"{"01": "x"}"#, isNoAnywhere: [Int: String].self)
        try await expect(#"{"a": {"b": [true]}}"#, reads: ["a": ["b": [true]]])
    }

    func expect<Value: SettingValue>(_ text: String, isNoAnywhere type: Value.Type) async throws {
        await #expect(throws: SettingsError.self) {
            try await SettingsStore.open(
                .backend(MemoryBackend(#"{"v": \#(text)}"#)), keys: [SettingKey<Value?>("v")])
        }
    }

    @Test func `a duplicate member of a dictionary counts once, the last one`() async throws {
        try await expect(#"{"a": 1, "a": 2}"#, reads: ["a": 2])
    }

    @Test func `enumerations are stored by their raw value, also when they are Codable`() async throws {
        try await expect(#""debug""#, reads: LogLevel.debug)
        try await expect("2", reads: Flavour.salted)
        try await expect(
            #""verbose""#, isNo: LogLevel.self,
            #"v: expected a raw value of LogLevel ("debug", "info", "warning", "error"), found the string "verbose""#)
        try await expect("3", isNo: Flavour.self)
        let backend = MemoryBackend()
        let key = SettingKey("v", default: Flavour.plain)
        let settings = try await SettingsStore.open(.backend(backend), keys: [key])
        try await settings.set(key, to: .salted)
        #expect(try settings.raw.value(of: "v")?.text == "2")
    }

    @Test func `a Codable type needs an empty conformance`() async throws {
        let backend = MemoryBackend()
        let settings = try await SettingsStore.open(.backend(backend), keys: [.limits])
        let limits = Limits(connections: 5, burst: nil, hosts: ["a", "b"])
        try await settings.set(.limits, to: limits)
        #expect(settings[.limits] == limits)
        let again = try await SettingsStore.open(.backend(MemoryBackend(backend.currentText)), keys: [.limits])
        #expect(again[.limits] == limits)
    }

    @Test func `an error inside a Codable value names key and place`() async throws {
        let error = await #expect(throws: SettingsError.self) {
            try await SettingsStore.open(
                .backend(MemoryBackend(#"{"limits": {"connections": "many", "hosts": []}}"#)), keys: [.limits])
        }
        #expect(error?.key == "limits")
        #expect(error?.line == 1 && error?.column == 28)
        #expect(error?.message.contains("many") == true)
    }

    @Test func `NaN and infinities are refused on write, and the value stays`() async throws {
        let settings = try await SettingsStore.inMemory(keys: [.ratio])
        for value in [Double.nan, .infinity, -.infinity] {
            await #expect { try await settings.set(.ratio, to: value) } throws: { SettingsError.invalidValue ~= $0 }
        }
        #expect(settings[.ratio] == 0.5)
    }

    @Test func `a range and a validation hold for writes and for edits`() async throws {
        struct Odd: Error, CustomStringConvertible { let description = "must be even" }
        let even = SettingKey("even", default: 2) { if $0 % 2 != 0 { throw Odd() } }
        let settings = try await SettingsStore.inMemory(keys: [even, .port])
        let odd = await #expect(throws: SettingsError.self) { try await settings.set(even, to: 3) }
        #expect(odd?.message == "even: expected a value that passes its validation: must be even, found 3")
        let low = await #expect(throws: SettingsError.self) { try await settings.set(.port, to: 0) }
        #expect(low?.message == "server.port: expected a value in 1...65535, found 0")
        let edited = await #expect(throws: SettingsError.self) {
            try await SettingsStore.open(
                .backend(MemoryBackend(#"{"even": 5, "server": {"port": 70000}}"#)), keys: [even, .port])
        }
        #expect(edited?.problems.count == 2)
    }

    @Test func `allowed values and optional ranges`() async throws {
        let size = SettingKey("size", default: 10, oneOf: [10, 20])
        let some = SettingKey<Int?>("some", in: 1...3)
        let settings = try await SettingsStore.inMemory(keys: [size, some])
        try await settings.set(size, to: 20)
        await #expect(throws: SettingsError.self) { try await settings.set(size, to: 15) }
        try await settings.set(some, to: 3)
        try await settings.set(some, to: nil)
        await #expect(throws: SettingsError.self) { try await settings.set(some, to: 4) }
        #expect(settings[size] == 20 && settings[some] == nil)
    }

    @Test func `what a validation says of a secret appears in no message`() async throws {
        struct Weak: Error { let value: String }
        let key = SettingKey("password", default: "", secret: true) { if $0.count == 7 { throw Weak(value: $0) } }
        let settings = try await SettingsStore.inMemory(keys: [key])
        let error = await #expect(throws: SettingsError.self) { try await settings.set(key, to: "hunter2") }
        #expect(error?.message == "password: expected a value that passes its validation")
        let opened = await #expect(throws: SettingsError.self) {
            try await SettingsStore.open(.backend(MemoryBackend(#"{"password": "hunter2"}"#)), keys: [key])
        }
        #expect(opened.map { !"\($0) \($0.problems)".contains("hunter2") } == true)
    }

    @Test func `a secret's value appears in no message`() async throws {
        let pin = SettingKey("pin", default: 1234, in: 1000...9999, secret: true)
        let settings = try await SettingsStore.inMemory(keys: [pin])
        let error = await #expect(throws: SettingsError.self) { try await settings.set(pin, to: 77_777) }
        #expect(error.map { !"\($0)".contains("77777") && !"\($0.problems)".contains("77777") } == true)
        let opened = await #expect(throws: SettingsError.self) {
            try await SettingsStore.open(.backend(MemoryBackend(#"{"pin": "hunter2"}"#)), keys: [pin])
        }
        #expect(opened.map { !"\($0)".contains("hunter2") && !"\($0.problems)".contains("hunter2") } == true)
    }
}
