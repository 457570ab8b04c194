import FoundationEssentials
import Rheostat
import Testing

/// What settings are inside `Codable` values, and what is said of errors there.
@Suite struct CodableValueTests {
    enum Level: String, Codable, CaseIterable, SettingValue, SettingName { case low, high }

    /// Its own coding is not its raw value; as a setting its raw value counts all the same.
    enum Mode: Int, Codable, SettingValue {
        case off = 0
        case on = 1

        init(from decoder: any Decoder) throws {
            self = try decoder.singleValueContainer().decode(String.self) == "on" ? .on : .off
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(self == .on ? "on" : "off")
        }
    }

    struct Flags: OptionSet, Codable, Hashable, SettingValue {
        let rawValue: UInt8
        static let read = Flags(rawValue: 1)
        static let write = Flags(rawValue: 2)
    }

    struct Inner: Codable, Hashable, SettingValue {
        var until: Date
        var wait: Duration?
    }

    /// Not a setting by itself.
    struct Plain: Codable, Equatable {
        var at: Date
        var mode: Mode
    }

    struct Everything: Codable, SettingValue {
        var date: Date
        var data: Data
        var url: URL
        var uuid: UUID
        var duration: Duration
        var mode: Mode
        var flags: Flags
        var optional: Date?
        var missing: Duration?
        var dates: [Date]
        var named: [String: Duration]
        var levels: [Level: Mode]
        var numbered: [Int: Inner]
        var set: Set<Level>
        var inner: Inner
        var plain: [Plain]
        var nested: [[Duration]]
        var small: UInt8
    }

    static let zero = Date(timeIntervalSinceReferenceDate: 0)

    static func everything() throws -> Everything {
        Everything(
            date: zero, data: Data([1, 2]), url: try #require(URL(string: "https://x/")),
            uuid: try #require(UUID(uuidString: "f81d4fae-7dec-11d0-a765-00a0c91e6bf6")), duration: .seconds(90),
            mode: .on, flags: [.read, .write], optional: zero, missing: nil, dates: [zero],
            named: ["b": .seconds(1), "a": .zero], levels: [.low: .off, .high: .on],
            numbered: [7: Inner(until: zero, wait: .milliseconds(5))], set: [.low, .high],
            inner: Inner(until: zero, wait: nil), plain: [Plain(at: zero, mode: .on)], nested: [[.seconds(1)], []],
            small: 9)
    }

    static let text = """
        {"date": "2001-01-01T00:00:00Z", "data": "AQI=", "url": "https://x/", \
        "uuid": "f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "duration": "1m30s", "mode": 1, "flags": 3, \
        "optional": "2001-01-01T00:00:00Z", "dates": ["2001-01-01T00:00:00Z"], "named": {"a": "0s", "b": "1s"}, \
        "levels": {"high": 1, "low": 0}, "numbered": {"7": {"until": "2001-01-01T00:00:00Z", "wait": "5ms"}}, \
        "set": ["high", "low"], "inner": {"until": "2001-01-01T00:00:00Z"}, \
        "plain": [{"at": "2001-01-01T00:00:00Z", "mode": 1}], "nested": [["1s"], []], "small": 9}
        """

    @Test func `each setting inside a structure has the form it has by itself`() throws {
        #expect(try stored(Self.everything()) == Self.text)
        #expect(try value(Everything.self, of: Self.text) == Self.everything())
    }

    @Test func `the same holds for arrays, dictionaries and optionals of structures`() throws {
        let inner = Inner(until: Self.zero, wait: .seconds(2))
        let text = #"{"until": "2001-01-01T00:00:00Z", "wait": "2s"}"#
        #expect(try stored([inner]) == "[\(text)]")
        #expect(try stored(["a": inner]) == #"{"a": \#(text)}"#)
        #expect(try stored(Inner?.some(inner)) == text)
        #expect(try value([Inner?].self, of: "[\(text), null]") == [inner, nil])
    }

    @Test func `a raw-valued type that is Codable in another way is stored by its raw value`() throws {
        #expect(try stored(Mode.on) == "1")
        #expect(try value(Mode.self, of: "1") == .on)
        #expect(try refusal(of: #""on""#, as: Mode.self) == #"expected an integer, found the string "on""#)
        #expect(try stored(Flags([.read, .write])) == "3")
        #expect(try value(Flags.self, of: "2") == .write)
        #expect(try value(Flags.self, of: "128").rawValue == 128)
        #expect(try refusal(of: "256", as: Flags.self)?.contains("256") == true)
    }

    @Test func `a reader and a writer give the five Foundation types their settings form also when asked directly`()
        throws
    {
        struct Wrapped: SettingValue {
            var date: Date
            static func read(from reader: SettingReader) throws -> Wrapped {
                Wrapped(date: try reader.decode(Date.self))
            }
            func write(to writer: inout SettingWriter) throws { try writer.encode(date) }
        }
        #expect(try stored(Wrapped(date: Self.zero)) == quoted("2001-01-01T00:00:00Z"))
        #expect(try value(Wrapped.self, of: quoted("2001-01-01T00:00:00Z")) == Wrapped(date: Self.zero))
    }

    // MARK: Errors

    func message(_ replaced: String, by text: String) throws -> SettingValueError? {
        let broken = Self.text.replacing(replaced, with: text)
        try #require(broken != Self.text)
        do {
            _ = try value(Everything.self, of: broken)
            return nil
        } catch let error as SettingValueError {
            let place = try #require(broken.firstRange(of: text))
            let column = broken.distance(from: broken.startIndex, to: place.lowerBound) + 1
            #expect(error.line == 1 && column <= error.column && error.column < column + text.count)
            return error
        }
    }

    @Test func `an error inside carries its place and the path below the value`() throws {
        #expect(try message(#""small": 9"#, by: #""small": 256"#)?.subpath == ".small")
        #expect(try message(#""1m30s""#, by: "90")?.subpath == ".duration")
        #expect(
            try message(#"["2001-01-01T00:00:00Z"]"#, by: #"["2001-01-01T00:00:00Z", "x"]"#)?.subpath == ".dates[1]")
        #expect(try message(#""b": "1s""#, by: #""b": 1"#)?.subpath == ".named.b")
        #expect(try message(#""wait": "5ms""#, by: #""wait": "5""#)?.subpath == ".numbered.7.wait")
        #expect(try message(#""mode": 1}]"#, by: #""mode": 5}]"#)?.subpath == ".plain[0].mode")
        #expect(try message(#"[["1s"], []]"#, by: #"[["1s"], [null]]"#)?.subpath == ".nested[1][0]")
        #expect(try message(#""low": 0"#, by: #""mid": 0"#)?.subpath == ".levels.mid")
        #expect(try message(#"["high", "low"]"#, by: #"["high", "high"]"#)?.subpath == ".set[1]")
    }

    @Test func `a message inside a Codable value names what is missing, what is wrong and where`() throws {
        #expect(
            "\(try #require(try message(#""wait": "5ms""#, by: #""wait": 5"#)))"
                == "expected \(DurationValueTests.form) in .numbered.7.wait, found the number 5")
        let missing = try refusal(of: #"{"wait": "1s"}"#, as: Inner.self)
        #expect(missing == #"expected a member "until", found no member "until""#)
        let deep = try refusal(of: #"[{"until": "2001-01-01T00:00:00Z"}, {}]"#, as: [Inner].self)
        #expect(deep == #"expected a member "until" in [1], found no member "until""#)
    }

    @Test func `an unknown case names the known ones, and the text is kept`() async throws {
        #expect(
            try refusal(of: #""mid""#, as: Level.self)
                == #"expected a raw value of Level ("low", "high"), found the string "mid""#)
        let key = SettingKey("level", default: Level.low)
        let backend = MemoryBackend(#"{"level": "mid"}"#)
        let error = await #expect(throws: SettingsError.self) {
            try await SettingsStore.open(.backend(backend), keys: [key])
        }
        #expect(error?.column == 11)
        #expect(backend.currentText == #"{"level": "mid"}"#)
    }

    struct Told: Error, CustomStringConvertible { let description: String }

    struct Picky: Codable, SettingValue {
        var word: String
        init(word: String) { self.word = word }
        init(from decoder: any Decoder) throws {
            word = try decoder.singleValueContainer().decode(String.self)
            if word == "decoding" {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "not \(word)"))
            }
            if word == "other" { throw Told(description: "never \(word)") }
        }
        func encode(to encoder: any Encoder) throws {
            if word == "unwritable" { throw Told(description: "cannot say \(word)") }
            var container = encoder.singleValueContainer()
            try container.encode(word)
        }
    }

    @Test func `what a type says for itself is in the message, but not in that of a secret`() async throws {
        #expect(
            try refusal(of: #"["decoding"]"#, as: [Picky].self)
                == #"expected a value that its type takes in [0], found the string "decoding" (not decoding)"#)
        #expect(
            try refusal(of: #"["other"]"#, as: [Picky].self)
                == #"expected a value that Picky can decode in [0], found the string "other" (never other)"#)
        #expect(
            try refusal(toWrite: ["a": Picky(word: "unwritable")])
                == "expected a value that Picky can encode in .a, found cannot say unwritable")
        let secret = SettingKey<[String: Picky]>("secret", default: [:], secret: true)
        for text in [#"{"hidden": "decoding"}"#, #"{"hidden": "other"}"#, #"{"hidden": 5}"#] {
            let error = await #expect(throws: SettingsError.self) {
                try await SettingsStore.open(.backend(MemoryBackend(#"{"secret": \#(text)}"#)), keys: [secret])
            }
            let shown = error.map { "\($0) \($0.problems)" } ?? ""
            #expect(
                ["hidden", "decoding", "other", "5"].allSatisfy {
                    !shown.contains("\($0)\"") && !shown.contains("(\($0)")
                })
            #expect(!shown.contains("hidden") && !shown.contains("not decoding") && !shown.contains("never other"))
        }
        let settings = try await SettingsStore.inMemory(keys: [secret])
        let error = await #expect(throws: SettingsError.self) {
            try await settings.set(secret, to: ["hidden": Picky(word: "unwritable")])
        }
        #expect(error.map { !"\($0)".contains("hidden") && !"\($0)".contains("unwritable") } == true)
    }

    // MARK: Change of a structure over time

    struct Old: Codable, SettingValue { var size = 1 }

    struct New: Codable, SettingValue {
        var size = 1
        var colour = "red"
        var note: String?

        init(size: Int, colour: String, note: String?) { (self.size, self.colour, self.note) = (size, colour, note) }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            size = try members.decodeIfPresent(Int.self, forKey: .size) ?? 1
            colour = try members.decodeIfPresent(String.self, forKey: .colour) ?? "red"
            note = try members.decodeIfPresent(String.self, forKey: .note)
        }
    }

    struct Strict: Codable, SettingValue {
        var size = 1
        var colour = "red"
    }

    @Test func `a structure that gains a field reads older files if its decoding says what they stand for`() throws {
        let old = try stored(Old(size: 5))
        #expect(try value(New.self, of: old) == New(size: 5, colour: "red", note: nil))
        #expect(try value(New.self, of: "{}") == New(size: 1, colour: "red", note: nil))
        #expect(try refusal(of: #"{"colour": 3}"#, as: New.self) == "expected a string in .colour, found the number 3")
    }

    @Test func `the decoding that Swift synthesizes wants the new field and says so`() throws {
        #expect(
            try refusal(of: #"{"size": 5}"#, as: Strict.self)
                == #"expected a member "colour", found no member "colour""#)
    }

    @Test func `a structure that loses a field reads newer files`() throws {
        #expect(try value(Old.self, of: #"{"size": 5, "colour": "blue"}"#) == Old(size: 5))
    }

    @Test func `one bad value among objects concerns its own key only, and its text is kept`() async throws {
        let list = SettingKey("list", default: [Old()])
        let port = SettingKey("port", default: 1)
        let backend = MemoryBackend(#"{"list": [{"size": 1}, {"size": "x"}], "port": 2, "other": [{"a": [{}]}]}"#)
        let settings = try await SettingsStore.open(.backend(backend), keys: [port])
        #expect(settings[port] == 2)
        #expect(settings[list] == [Old()])
        await #expect(throws: SettingsError.self) { try await settings.set(list, to: []) }
        try await settings.set(port, to: 3)
        #expect(backend.currentText?.contains(#"[{"size": 1}, {"size": "x"}]"#) == true)
    }
}
