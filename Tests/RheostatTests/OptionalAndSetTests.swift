import FoundationEssentials
import Rheostat
import TestSupport
import Testing

@Suite struct OptionalAndSetTests {
    // MARK: Nested optionals

    @Test func `null belongs to the innermost of nested optionals`() throws {
        #expect(try value(Int?.self, of: "null") == .none)
        #expect(try value(Int??.self, of: "null") == .some(.none))
        #expect(try value(Int???.self, of: "null") == .some(.some(.none)))
        #expect(try value(Int??.self, of: "5") == .some(.some(5)))
        #expect(try stored(Int??.some(.none)) == "null")
        #expect(try stored(Int??.some(.some(5))) == "5")
    }

    @Test func `absent, null and a value stay three things under one key`() async throws {
        let key = SettingKey<Int??>("v")
        let backend = MemoryBackend("{}")
        let settings = try await SettingsStore.open(.backend(backend), keys: [key])
        #expect(settings[key] == .none)
        try await settings.set(key, to: .some(.none))
        #expect(settings[key] == .some(.none))
        #expect(try settings.raw.value(of: "v")?.text == "null")
        try await settings.set(key, to: 5)
        #expect(settings[key] == 5)
        try await settings.reset(key)
        #expect(settings[key] == .none)
        #expect(try settings.raw.value(of: "v") == nil)
    }

    @Test func `each step between absent, null and a value is an event`() async throws {
        let key = SettingKey<Int??>("v")
        let settings = try await SettingsStore.inMemory(keys: [key])
        try await within {
            var changes = settings.changes(of: key).makeAsyncIterator()
            try await settings.set(key, to: .some(.none))
            let first = try #require(await changes.next())
            #expect(first.old == Int??.none && first.new == Int??.some(.none))
            try await settings.reset(key)
            let second = try #require(await changes.next())
            #expect(second.old == Int??.some(.none) && second.new == Int??.none)
        }
    }

    @Test func `the outer nil cannot be written: the key is to be reset`() async throws {
        let key = SettingKey<Int??>("v")
        let settings = try await SettingsStore.inMemory(keys: [key])
        try await settings.set(key, to: 5)
        let error = await #expect(throws: SettingsError.self) { try await settings.set(key, to: .none) }
        #expect(
            error?.message
                == "v: expected a value or the inner nil of Optional<Optional<Int>> (reset the key to make it absent), "
                + "found the outer nil")
        #expect(settings[key] == 5)
        #expect(try refusal(toWrite: Int???.some(.none)) != nil)
        #expect(try refusal(toWrite: [Int??.none])?.contains("in [0]") == true)
    }

    @Test func `optionals of every kind read null and write it`() throws {
        func check<Wrapped: SettingValue>(_ wrapped: Wrapped) throws {
            #expect(try value(Wrapped?.self, of: "null") == nil)
            #expect(try stored(Wrapped?.none) == "null")
            let text = try stored(Wrapped?.some(wrapped))
            #expect(try value(Wrapped?.self, of: text) == wrapped)
            #expect(try refusal(of: "null", as: Wrapped.self) != nil)
        }
        try check(true)
        try check(1)
        try check(UInt8(1))
        try check(0.5)
        try check(Float(0.5))
        try check("null")
        try check(Date(timeIntervalSinceReferenceDate: 0))
        try check(Data())
        try check(try #require(URL(string: "/")))
        try check(UUID())
        try check(Duration.seconds(1))
        try check([1])
        try check(["a": 1])
        try check(Set([1]))
        try check(LogLevel.info)
        try check(Limits())
    }

    @Test func `a literal compares with an optional value and with one that is none`() async throws {
        let plain = SettingKey("plain", default: 1)
        let optional = SettingKey<Int?>("optional")
        let settings = try await SettingsStore.inMemory(keys: [plain, optional])
        #expect(settings[plain] == 1)
        #expect(settings[optional] == nil)
        #expect(settings[optional] != 1)
        try await settings.set(optional, to: 1)
        #expect(settings[optional] == 1)
    }

    // MARK: Sets

    @Test func `a set is an array in a stable order`() throws {
        #expect(try stored(Set([10, 9, -1])) == "[-1, 9, 10]")
        #expect(try stored(Set(["b", "a"])) == #"["a", "b"]"#)
        #expect(try stored(Set([LogLevel.info, .debug])) == #"["debug", "info"]"#)
        #expect(try stored(Set([[2], [1, 5]])) == "[[1, 5], [2]]")
        #expect(try stored(Set([Date(timeIntervalSinceReferenceDate: 0)])) == #"["2001-01-01T00:00:00Z"]"#)
        #expect(try stored(Set<Int>()) == "[]")
    }

    @Test func `a set is read in any order and refuses what stands there twice`() throws {
        #expect(try value(Set<Int>.self, of: "[3, 1, 2]") == [1, 2, 3])
        #expect(
            try refusal(of: "[1, 2, 1.0]", as: Set<Int>.self)
                == "expected an element that stands there once in [2], found the number 1.0")
        #expect(try refusal(of: "[0.0, -0.0]", as: Set<Double>.self) != nil)
        #expect(try refusal(of: "[1, true]", as: Set<Int>.self) == "expected an integer in [1], found true")
        #expect(try refusal(of: "{}", as: Set<Int>.self) == "expected an array, found an object")
    }

    @Test func `another order of a set is no change`() async throws {
        let key = SettingKey<Set<String>>("tags", default: [])
        let backend = MemoryBackend(#"{"tags": ["b", "a"]}"#)
        let settings = try await SettingsStore.open(.backend(backend), keys: [key])
        let revision = settings.revision
        try await settings.set(key, to: ["a", "b"])
        #expect(settings.revision == revision)
        #expect(backend.currentText == #"{"tags": ["b", "a"]}"#)
    }

    // MARK: Dictionaries

    enum Side: Int, Codable, SettingName, SettingValue { case left = 1, right = 2 }

    @Test func `dictionaries keyed by integers and enumerations of each kind come back`() throws {
        #expect(try stored([UInt8(255): "x"]) == #"{"255": "x"}"#)
        #expect(try stored([Int128.min: 1]) == #"{"-170141183460469231731687303715884105728": 1}"#)
        #expect(try stored([Side.right: [Side.left: Duration.seconds(1)]]) == #"{"2": {"1": "1s"}}"#)
        #expect(try value([Side: Side].self, of: #"{"2": 1}"#) == [.right: .left])
        #expect(
            try refusal(of: #"{"3": 1}"#, as: [Side: Side].self)
                == "expected a member name that is Side in .3, found the number 1")
        for name in ["+1", "01", "1.0", " 1", "0x1", "", "256", "-1", "１"] {
            #expect(try refusal(of: #"{"\#(name)": 1}"#, as: [UInt8: Int].self) != nil)
        }
    }

    @Test func `the case of member names is kept`() throws {
        let map = try value([String: Int].self, of: #"{"Ab": 1, "aB": 2, "AB": 3}"#)
        #expect(map == ["Ab": 1, "aB": 2, "AB": 3])
        #expect(try stored(map) == #"{"AB": 3, "Ab": 1, "aB": 2}"#)
    }

    @Test func `two names that are one key in Swift are refused, not joined`() throws {
        let message = try refusal(of: "{\"\u{E9}\": 1, \"e\u{301}\": 2}", as: [String: Int].self)
        #expect(message?.contains("a member name that stands for no other's key") == true)
        #expect(try value([String: Int].self, of: #"{"é": 1, "\u00e9": 2}"#) == ["é": 2])
    }
}
