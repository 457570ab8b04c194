import Rheostat
import Testing

@Suite struct DurationValueTests {
    static let accepted: [(text: String, duration: Duration, canonical: String)] = [
        ("0s", .zero, "0s"), ("-0s", .zero, "0s"), ("0ns", .zero, "0s"), ("0d0h", .zero, "0s"),
        ("250ms", .milliseconds(250), "250ms"), ("0.25s", .milliseconds(250), "250ms"),
        ("1h30m", .seconds(5400), "1h30m"), ("90m", .seconds(5400), "1h30m"), ("1.5h", .seconds(5400), "1h30m"),
        ("1.5s", .milliseconds(1500), "1.5s"), ("1500ms", .milliseconds(1500), "1.5s"),
        ("-2m", .seconds(-120), "-2m"), ("-1m30s", .seconds(-90), "-1m30s"), ("90s", .seconds(90), "1m30s"),
        ("36h", .seconds(129_600), "1d12h"),
        ("1d2h3m4s5ms6us7ns", .seconds(93_784) + .nanoseconds(5_006_007), "1d2h3m4.005006007s"),
        ("7us", .microseconds(7), "7us"), ("7µs", .microseconds(7), "7us"), ("7μs", .microseconds(7), "7us"),
        ("1.5ns", Duration(attoseconds: 1_500_000_000), "1.5ns"),
        ("0.000000001ns", Duration(attoseconds: 1), "0.000000001ns"),
        ("1.000000000000000001s", Duration(attoseconds: 1_000_000_000_000_000_001), "1.000000000000000001s"),
        ("1.50000000000000000000000000000000000000000s", .milliseconds(1500), "1.5s"),
        ("05m", .seconds(300), "5m"), ("1d0.5s", .seconds(86_400) + .milliseconds(500), "1d0.5s"),
        ("1.0000000001d", Duration(attoseconds: 86_400_000_008_640_000_000_000), "1d0.00000864s"),
    ]

    @Test(arguments: accepted) func `a duration is read exactly and written in one way`(
        text: String, duration: Duration, canonical: String
    ) throws {
        #expect(try value(Duration.self, of: quoted(text)) == duration)
        #expect(try stored(duration) == quoted(canonical))
        #expect(try value(Duration.self, of: quoted(canonical)) == duration)
    }

    static let form = "a duration with its unit, such as \"250ms\" or \"1h30m\""
    static let order = "a duration with its units from the largest to the smallest, each once"
    static let units = "a duration in the units d, h, m, s, ms, us and ns"
    static let whole = "a duration in whole attoseconds"
    static let tooLong = "a duration that Duration can hold (some 10^15 days)"

    static let refused: [(text: String, expected: String)] = [
        ("", form), ("-", form), ("30", form), ("0", form), ("s", form), ("1h30", form), ("+1s", form), (" 1s", form),
        ("--1s", form), (".5s", form), ("1.s", form), ("PT1H", form), ("1.5", form), ("１s", form),
        ("1 s", units), ("1s ", units), ("1S", units), ("1min", units), ("1y", units), ("1h-5m", units), ("1M", units),
        ("1e3s", units),
        ("30m1h", order), ("1s1s", order), ("1s500ms1us2ms", order),
        ("1.5h30m", "a duration with a fraction in its last component only"),
        ("0.0000000001ns", whole), ("0.0000000000000000001s", whole), ("0.00000000000000000000000001d", whole),
        ("0.333333333333333333333333333333h", whole),
        ("170141183460469231732s", tooLong), ("2000000000000000d", tooLong),
        ("99999999999999999999999999999999999999999999999999d", tooLong), ("1970000000000000d", tooLong),
    ]

    @Test(arguments: refused) func `no duration is refused with a message that says what is wrong`(
        text: String, expected: String
    ) throws {
        #expect(
            try refusal(of: quoted(text), as: Duration.self) == "expected \(expected), found the string \"\(text)\"")
    }

    @Test func `a bare number is refused: its unit would be a guess`() throws {
        #expect(try refusal(of: "30", as: Duration.self) == "expected \(Self.form), found the number 30")
        #expect(try refusal(of: "null", as: Duration.self) == "expected \(Self.form), found null")
    }

    @Test func `the longest and the shortest duration come back, one attosecond more is refused`() throws {
        for attoseconds in [Int128.max, Int128.min, Int128.max - 1, Int128.min + 1, 1, -1] {
            let duration = Duration(attoseconds: attoseconds)
            #expect(try value(Duration.self, of: stored(duration)) == duration)
        }
        #expect(
            try value(Duration.self, of: quoted("170141183460469231731.687303715884105727s")).attoseconds == .max)
        #expect(
            try value(Duration.self, of: quoted("-170141183460469231731.687303715884105728s")).attoseconds == .min)
        for text in [
            "170141183460469231731.687303715884105728s", "-170141183460469231731.687303715884105729s",
            "340282366920938463463.374607431768211456s",
        ] {
            #expect(try refusal(of: quoted(text), as: Duration.self)?.contains(Self.tooLong) == true)
        }
    }

    @Test func `durations of every length come back equal, in a form that stays`() throws {
        let seed = UInt64.random(in: 0...(.max))
        var generator = SeededGenerator(seed: seed)
        for round in 0..<5_000 {
            let bits = Int.random(in: 1...127, using: &generator)
            var attoseconds = Int128(UInt128.random(in: 0..<(1 << bits), using: &generator))
            if round % 2 == 0 { attoseconds -= attoseconds % 1_000_000_000_000 }
            let duration = Duration(attoseconds: round % 3 == 0 ? -attoseconds : attoseconds)
            let text = try stored(duration)
            #expect(try value(Duration.self, of: text) == duration, "seed \(seed), round \(round): \(text)")
        }
    }
}
