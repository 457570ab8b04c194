import FoundationEssentials
import Rheostat
import TestSupport
import Testing

@Suite struct DateValueTests {
    static func at(_ seconds: Double) -> Date { Date(timeIntervalSinceReferenceDate: seconds) }

    static let accepted: [(text: String, seconds: Double)] = [
        ("2001-01-01T00:00:00Z", 0),
        ("2001-01-01t00:00:00z", 0),
        ("2001-01-01T00:00:00.000Z", 0),
        ("2001-01-01T02:00:00+02:00", 0),
        ("2000-12-31T12:30:00-11:30", 0),
        ("2001-01-01T00:00:00-00:00", 0),
        ("2001-01-01T00:00:00+00:00", 0),
        ("2001-01-01T23:59:00+23:59", 0),
        ("1970-01-01T00:00:00Z", -978_307_200),
        ("2026-11-30T08:15:00.5Z", 817_719_300.5),
        ("2000-12-31T23:59:59.75Z", -0.25),
        ("2000-02-29T00:00:00Z", -26_524_800),
        ("2024-02-29T23:59:59Z", 730_943_999),
        ("0001-01-01T00:00:00Z", -63_113_904_000),
        ("9999-12-31T23:59:59Z", 252_423_993_599),
        ("9999-12-31T23:59:59.9999Z", 252_423_993_599.9999),
        ("2001-01-01T00:00:00.000000001Z", 1e-9),
        ("2001-01-01T00:00:00.0000000000001Z", 1e-13),
        ("2000-12-31T23:59:59.9999999999999Z", -1e-13),
        ("2026-11-30T08:15:00.123456789Z", 817_719_300.123456789),
        ("2026-11-30T08:15:00.1234567890000000000000000000000000000000001Z", 817_719_300.123456789),
    ]

    @Test(arguments: accepted) func `a date is read exactly`(text: String, seconds: Double) throws {
        let date: Date = try value(of: quoted(text))
        #expect(date.timeIntervalSinceReferenceDate.bitPattern == seconds.bitPattern)
    }

    static let form = "an RFC 3339 date and time such as \"2026-11-30T08:15:00Z\""

    static let refused: [(text: String, expected: String)] = [
        ("", form), ("now", form), ("2026-11-30", form), ("2026-11-30T08:15:00", form), ("2026-11-30T08:15Z", form),
        ("2026-11-30 08:15:00Z", form), ("2026-11-30T08:15:00Z ", form), (" 2026-11-30T08:15:00Z", form),
        ("2026-11-30T08:15:00Zulu", form), ("2026-11-30T08:15:00.Z", form), ("2026-11-30T08:15:00,5Z", form),
        ("2026-11-30T08:15:00+0200", form), ("2026-11-30T08:15:00+02", form), ("2026-11-30T08:15:00+02:00Z", form),
        ("20261130T081500Z", form), ("2026-W49-1T08:15:00Z", form), ("2026-1-30T08:15:00Z", form),
        ("+2026-11-30T08:15:00Z", form), ("-026-11-30T08:15:00Z", form), ("12026-11-30T08:15:00Z", form),
        ("２026-11-30T08:15:00Z", form), ("2026-11-30T08:15:00 Z", form), ("2026-11-30T08:15:00−01:00", form),
        ("0000-01-01T00:00:00Z", "a date with a year from 0001 to 9999"),
        ("2026-00-01T00:00:00Z", "a date with a month from 01 to 12"),
        ("2026-13-01T00:00:00Z", "a date with a month from 01 to 12"),
        ("2026-02-30T00:00:00Z", "a date with a day that its month has"),
        ("2026-02-29T00:00:00Z", "a date with a day that its month has"),
        ("1900-02-29T00:00:00Z", "a date with a day that its month has"),
        ("2026-04-31T00:00:00Z", "a date with a day that its month has"),
        ("2026-01-00T00:00:00Z", "a date with a day that its month has"),
        ("2026-01-01T24:00:00Z", "a date with an hour from 00 to 23"),
        ("2026-01-01T00:60:00Z", "a date with a minute from 00 to 59"),
        ("2016-12-31T23:59:60Z", "a date with a second from 00 to 59 (leap seconds cannot be held)"),
        ("2026-01-01T00:00:00+24:00", "a date with an offset from -23:59 to +23:59"),
        ("2026-01-01T00:00:00-00:60", "a date with an offset from -23:59 to +23:59"),
        ("0001-01-01T00:00:00+00:01", "a date in the years 0001 to 9999 in UTC"),
        ("9999-12-31T23:59:59-00:01", "a date in the years 0001 to 9999 in UTC"),
        ("9999-12-31T23:59:59.9999999999999999Z", "a date in the years 0001 to 9999 in UTC"),
    ]

    @Test(arguments: refused) func `no date is refused with a message that says what is wrong`(
        text: String, expected: String
    ) throws {
        #expect(try refusal(of: quoted(text), as: Date.self) == "expected \(expected), found the string \"\(text)\"")
    }

    @Test(arguments: [("0", "the number 0"), ("null", "null"), ("true", "true"), ("[]", "an array")])
    func `a date is a string and nothing else`(json: String, found: String) throws {
        #expect(try refusal(of: json, as: Date.self) == "expected \(Self.form), found \(found)")
    }

    static let written: [(seconds: Double, text: String)] = [
        (0, "2001-01-01T00:00:00Z"), (-0.0, "2001-01-01T00:00:00Z"),
        (-0.25, "2000-12-31T23:59:59.75Z"), (1e-9, "2001-01-01T00:00:00.000000001Z"),
        (817_719_300.1, "2026-11-30T08:15:00.1Z"), (817_719_300.123456789, "2026-11-30T08:15:00.1234568Z"),
        (-63_113_904_000, "0001-01-01T00:00:00Z"), (252_423_993_599.9999, "9999-12-31T23:59:59.9999Z"),
        // Finer than a nanosecond: the nearest.
        (1e-10, "2001-01-01T00:00:00Z"), (1.6e-9, "2001-01-01T00:00:00.000000002Z"),
        (-1e-10, "2001-01-01T00:00:00Z"), (Double.leastNonzeroMagnitude, "2001-01-01T00:00:00Z"),
        (-1.6e-9, "2000-12-31T23:59:59.999999998Z"),
    ]

    @Test(arguments: written) func `a date is written in UTC with the shortest fraction`(
        seconds: Double, text: String
    ) throws {
        #expect(try stored(Self.at(seconds)) == quoted(text))
    }

    @Test(arguments: [
        (Double.nan, "one that is not finite"), (.infinity, "one that is not finite"),
        (-.infinity, "one that is not finite"), (252_423_993_600, "one outside them"),
        ((-63_113_904_000.0).nextDown, "one outside them"), (1e300, "one outside them"),
    ])
    func `a date that RFC 3339 cannot say is refused on write`(seconds: Double, found: String) throws {
        #expect(
            try refusal(toWrite: Self.at(seconds)) == "expected a date in the years 0001 to 9999 in UTC, found \(found)"
        )
    }

    @Test func `the distant past and future of Foundation can be settings as far as RFC 3339 goes`() throws {
        #expect(try stored(Date.distantFuture) == quoted("4001-01-01T00:00:00Z"))
        // Two days before the year 0001.
        #expect(try refusal(toWrite: Date.distantPast) != nil)
    }

    @Test func `dates of every age come back with the same bits, to the nanosecond`() throws {
        let seed = UInt64.random(in: 0...(.max))
        var generator = SeededGenerator(seed: seed)
        for round in 0..<5_000 {
            let bounds: [Double] = [1e3, 1e6, 1e8, 1e9, 6.3e10]
            let bound = bounds[round % bounds.count]
            let date = Self.at(.random(in: -bound...bound, using: &generator))
            let text = try stored(date)
            let again: Date = try value(of: text)
            let difference = abs(again.timeIntervalSince(date))
            // From 2^23 seconds on Date is coarser than a nanosecond and nothing may change.
            if abs(date.timeIntervalSinceReferenceDate) >= 0x1p23 {
                #expect(difference == 0, "seed \(seed), round \(round): \(text)")
            }
            #expect(difference < 1e-9, "seed \(seed), round \(round): \(text)")
            #expect(try stored(again) == text, "seed \(seed), round \(round)")
        }
    }

    @Test func `no shorter fraction reads back to the same bits`() throws {
        let seed = UInt64.random(in: 0...(.max))
        var generator = SeededGenerator(seed: seed)
        for round in 0..<1_000 {
            let date = Self.at(.random(in: 6e8...1e9, using: &generator))
            let text = try stored(date)
            let parts = text.dropFirst().dropLast(2).split(separator: ".")
            guard parts.count == 2, let digits = Int(parts[1]), parts[1].count > 1 else { continue }
            let places = parts[1].count - 1
            for shorter in [digits / 10, digits / 10 + 1] where "\(shorter)".count <= places {
                let padding = String(repeating: "0", count: places - "\(shorter)".count)
                let other = quoted("\(parts[0]).\(padding)\(shorter)Z")
                #expect(try value(Date.self, of: other) != date, "seed \(seed), round \(round): \(text), \(other)")
            }
        }
    }

    @Test func `each day of four centuries has its place`() throws {
        // 146,097 days, in steps of 13, so that each day of month and week comes up.
        var day = 0
        var previous = ""
        while day < 146_097 {
            let date = Self.at(Double(day) * 86_400)
            let text = try stored(date)
            #expect(text > previous && text.hasSuffix("T00:00:00Z\""))
            #expect(try value(Date.self, of: text) == date)
            previous = text
            day += 13
        }
        #expect(try stored(Self.at(146_097 * 86_400)) == quoted("2401-01-01T00:00:00Z"))
    }

    @Test func `the value taken is the one in the text, also for a date finer than that`() async throws {
        let key = SettingKey("at", default: Self.at(0))
        let settings = try await SettingsStore.inMemory(keys: [key])
        try await within {
            var values = settings.values(of: key).makeAsyncIterator()
            #expect(await values.next() == Self.at(0))
            let fine = Self.at(1.6e-9)
            try await settings.set(key, to: fine)
            #expect(settings[key] == Self.at(2e-9))
            #expect(await values.next() == Self.at(2e-9))
        }
    }
}
