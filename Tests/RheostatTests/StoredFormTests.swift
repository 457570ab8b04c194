import FoundationEssentials
import Rheostat
import Testing

/// The stored form of each type, for ever: a line here may be added, none may be changed, or the settings of people who
/// update a program would vanish.
@Suite struct StoredFormTests {
    struct Whole: Codable, SettingValue {
        var name: String
        var at: Date
        var after: Duration?
    }

    enum Names: String, Codable, Hashable, SettingValue, SettingName { case one, two }

    struct Options: OptionSet, Codable, SettingValue { let rawValue: Int }

    func check<Value: SettingValue>(
        _ value: Value, is form: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(try stored(value) == form, sourceLocation: sourceLocation)
        #expect(try RawJSON(form).decode(as: Value.self).isSame(as: value), sourceLocation: sourceLocation)
        #expect(try RawJSON(stored([value])).decode(as: [Value].self) == [value], sourceLocation: sourceLocation)
    }

    @Test func `the stored form of each type never changes`() throws {
        try check(true, is: "true")
        try check(Int8.min, is: "-128")
        try check(Int16.min, is: "-32768")
        try check(Int32.min, is: "-2147483648")
        try check(Int64.min, is: "-9223372036854775808")
        try check(Int.max, is: "9223372036854775807")
        try check(Int128.max, is: "170141183460469231731687303715884105727")
        try check(UInt8.max, is: "255")
        try check(UInt16.max, is: "65535")
        try check(UInt32.max, is: "4294967295")
        try check(UInt64.max, is: "18446744073709551615")
        try check(UInt.max, is: "18446744073709551615")
        try check(UInt128.max, is: "340282366920938463463374607431768211455")
        try check(8080.0, is: "8080")
        try check(0.1, is: "0.1")
        try check(-0.0, is: "-0")
        try check(1e300, is: "1e300")
        try check(Float(0.1), is: "0.1")
        try check("é\n\"\\/", is: #""é\n\"\\/""#)
        try check(Date(timeIntervalSinceReferenceDate: 817_719_300.25), is: #""2026-11-30T08:15:00.25Z""#)
        try check(Data([0xFB, 0xFF]), is: #""+/8=""#)
        try check(try #require(URL(string: "https://example.com/a?b#c")), is: #""https://example.com/a?b#c""#)
        try check(
            try #require(UUID(uuidString: "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6")),
            is: #""f81d4fae-7dec-11d0-a765-00a0c91e6bf6""#)
        try check(Duration.seconds(93_784) + .milliseconds(500), is: #""1d2h3m4.5s""#)
        try check(Duration.microseconds(-1500), is: #""-1.5ms""#)
        try check([1, 2], is: "[1, 2]")
        try check(["a", "b"], is: #"["a", "b"]"#)
        try check(Set([2, 1]), is: "[1, 2]")
        try check(["b": 1, "a": 2], is: #"{"a": 2, "b": 1}"#)
        try check([7: true], is: #"{"7": true}"#)
        try check([Names.one: Names.two], is: #"{"one": "two"}"#)
        try check(Int?.none, is: "null")
        try check(Int?.some(1), is: "1")
        try check(Int??.some(.none), is: "null")
        try check(Names.two, is: #""two""#)
        try check(Options(rawValue: 5), is: "5")
        try check(
            Whole(name: "n", at: Date(timeIntervalSinceReferenceDate: 0), after: .seconds(60)),
            is: #"{"name": "n", "at": "2001-01-01T00:00:00Z", "after": "1m"}"#)
    }

    @Test func `forms that are read besides the one that is written`() throws {
        #expect(try value(Duration.self, of: #""90m""#) == .seconds(5400))
        #expect(try value(Int.self, of: "1e2") == 100)
        #expect(try value(Date.self, of: #""2001-01-01t01:00:00.0+01:00""#) == Date(timeIntervalSinceReferenceDate: 0))
    }

    @Test func `random values of all types at once come back through text`() throws {
        struct Mixed: Codable, SettingValue {
            var whole: Int64
            var small: UInt8
            var real: Double
            var single: Float
            var text: String
            var data: Data
            var uuid: UUID
            var at: Date
            var lasts: Duration?
            var names: Set<Names>
            var counts: [Int: [Bool?]]
        }
        let seed = UInt64.random(in: 0...(.max))
        var generator = SeededGenerator(seed: seed)
        for round in 0..<2_000 {
            var real = Double(bitPattern: generator.next())
            if !real.isFinite { real = 0.1 }
            var single = Float(bitPattern: UInt32(truncatingIfNeeded: generator.next()))
            if !single.isFinite { single = -0.0 }
            var text = ""
            for _ in 0..<Int.random(in: 0...12, using: &generator) {
                text.unicodeScalars.append(Unicode.Scalar(UInt32.random(in: 0...0x2FFFF, using: &generator)) ?? "?")
            }
            let mixed = Mixed(
                whole: Int64(bitPattern: generator.next()), small: UInt8.random(in: 0...255, using: &generator),
                real: real, single: single, text: text,
                data: Data((0..<Int.random(in: 0...9, using: &generator)).map { UInt8($0) }), uuid: UUID(),
                at: Date(timeIntervalSinceReferenceDate: .random(in: 1e8...1e10, using: &generator)),
                lasts: round % 2 == 0 ? nil : .nanoseconds(Int64(bitPattern: generator.next())),
                names: round % 3 == 0 ? [] : [.two, .one],
                counts: round % 5 == 0 ? [:] : [round: [true, nil], -round: []])
            let form = try stored(mixed)
            let again = try value(Mixed.self, of: form)
            #expect(again.isSame(as: mixed), "seed \(seed), round \(round): \(form)")
            #expect(try stored(again) == form, "seed \(seed), round \(round)")
        }
    }
}
