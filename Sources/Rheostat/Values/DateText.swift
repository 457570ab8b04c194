/// Dates as RFC 3339 text, both ways, without a formatter.
///
/// The calendar is the Gregorian one throughout, as in ISO 8601, and the years are 0001 to 9999. Seconds count from
/// 2001-01-01T00:00:00Z, as in `Date`.
enum DateText {
    /// Why a text is no date. `expected` follows the word "expected"; it does not quote the text.
    struct Refusal: Error {
        let expected: String
        init(_ expected: String) { self.expected = expected }
    }

    /// What to write where there is no date.
    static let form = "an RFC 3339 date and time such as \"2026-11-30T08:15:00Z\""

    /// 0001-01-01T00:00:00Z, and the first second of the year 10,000.
    static let range = -63_113_904_000.0..<252_423_993_600.0

    // MARK: Reading

    /// The seconds that a text stands for, rounded once to the nearest `Double`.
    ///
    /// The grammar is that of RFC 3339, section 5.6, with `t` and `z` in either case and any number of fraction digits.
    /// Offsets are accepted; `-00:00` is UTC of unknown local time (section 4.3). A leap second (`:60`) has no place in
    /// `Date` and is refused, as is an instant that falls outside the years 0001 to 9999 in UTC.
    static func seconds(_ text: String) throws(Refusal) -> Double {
        var cursor = Cursor(bytes: Array(text.utf8))
        let year = try cursor.number(4)
        try cursor.skip("-")
        let month = try cursor.number(2)
        try cursor.skip("-")
        let day = try cursor.number(2)
        try cursor.skip("T", or: "t")
        let hour = try cursor.number(2)
        try cursor.skip(":")
        let minute = try cursor.number(2)
        try cursor.skip(":")
        let second = try cursor.number(2)
        let fraction = try cursor.fraction()
        let offset = try cursor.offset()
        guard cursor.isAtEnd else { throw Cursor.malformed }

        guard year >= 1 else { throw Refusal("a date with a year from 0001 to 9999") }
        guard 1...12 ~= month else { throw Refusal("a date with a month from 01 to 12") }
        guard day >= 1, day <= daysInMonth(month, of: year) else {
            throw Refusal("a date with a day that its month has")
        }
        guard hour <= 23 else { throw Refusal("a date with an hour from 00 to 23") }
        guard minute <= 59 else { throw Refusal("a date with a minute from 00 to 59") }
        guard second <= 59 else { throw Refusal("a date with a second from 00 to 59 (leap seconds cannot be held)") }

        let days = daysBefore(year: year) + daysBefore(month: month, of: year) + day - 1 - daysBefore(year: 2001)
        let whole = days * 86_400 + hour * 3600 + minute * 60 + second - offset
        let seconds = nearest(whole, fraction)
        // A fraction may round up to the end of the last second.
        guard range.contains(seconds) else { throw Refusal("a date in the years 0001 to 9999 in UTC") }
        return seconds
    }

    /// The `Double` nearest to whole seconds and a fraction in decimal digits without trailing zeros.
    private static func nearest(_ whole: Int, _ fraction: ArraySlice<UInt8>) -> Double {
        if fraction.isEmpty { return Double(whole) }
        if fraction.count <= 9 {
            var scale = 1
            var digits = 0
            for digit in fraction {
                scale *= 10
                digits = digits * 10 + Int(digit &- 0x30)
            }
            return quotient(Int128(whole) * Int128(scale) + Int128(digits), scale, places: fraction.count)
        }
        // The magnitude in decimal; below zero the fraction counts from the other side: -5 and .25 are -4.75.
        guard whole < 0 else { return decimal("\(whole).", fraction) }
        var complement = fraction.map { 0x69 &- $0 }  // nines
        if let last = complement.indices.last { complement[last] += 1 }
        return -decimal("\(-1 - whole).", complement[...])
    }

    private static func decimal(_ whole: String, _ fraction: ArraySlice<UInt8>) -> Double {
        // Always a well-formed decimal of moderate size, so never nil.
        Double(whole + String(decoding: fraction, as: UTF8.self)) ?? .nan
    }

    /// `count / scale` rounded once, where `scale` is the power of ten with so many `places`.
    private static func quotient(_ count: Int128, _ scale: Int, places: Int) -> Double {
        // Both are exact as doubles, so that the division is the only rounding.
        if count.magnitude < 1 << 53 { return Double(Int64(truncatingIfNeeded: count)) / Double(scale) }
        return Double("\(count)e-\(places)") ?? .nan
    }

    // MARK: Writing

    /// The text of an instant with `Z` and the shortest fraction, of at most nine digits, that reads back to the same
    /// bits. Where `Date` is finer than a nanosecond (in the weeks around 2001-01-01), the nearest nanosecond is
    /// written. `nil` for what RFC 3339 cannot say: NaN, infinities and years outside 0001 to 9999.
    static func text(_ seconds: Double) -> String? {
        guard range.contains(seconds) else { return nil }
        var scale = 1
        var places = 0
        var count = rounded(seconds, times: 1)
        while places < 9, quotient(count, scale, places: places) != seconds {
            scale *= 10
            places += 1
            count = rounded(seconds, times: scale)
        }
        var (whole, fraction) = (Int(count / Int128(scale)), Int(count % Int128(scale)))
        if fraction < 0 { (whole, fraction) = (whole - 1, fraction + scale) }
        while places > 0, fraction % 10 == 0 { (fraction, places) = (fraction / 10, places - 1) }

        var day = whole / 86_400
        var second = whole % 86_400
        if second < 0 { (day, second) = (day - 1, second + 86_400) }
        let (year, month, dayOfMonth) = date(day + daysBefore(year: 2001))
        var text = ""
        text.reserveCapacity(30)
        append(year, 4, to: &text)
        text += "-"
        append(month, 2, to: &text)
        text += "-"
        append(dayOfMonth, 2, to: &text)
        text += "T"
        append(second / 3600, 2, to: &text)
        text += ":"
        append(second / 60 % 60, 2, to: &text)
        text += ":"
        append(second % 60, 2, to: &text)
        if places > 0 {
            text += "."
            append(fraction, places, to: &text)
        }
        return text + "Z"
    }

    /// `seconds * scale`, exact before it is rounded to the nearest integer. The product has less than 70 bits, since
    /// `seconds` is in `range` and `scale` at most 10^9.
    private static func rounded(_ seconds: Double, times scale: Int) -> Int128 {
        if seconds == 0 { return 0 }
        let shift = Int(seconds.exponent) - 52
        let significand = Int128(seconds.significandBitPattern | (seconds.isNormal ? 1 << 52 : 0))
        let product = significand * Int128(scale)
        let magnitude: Int128
        if shift >= 0 {
            magnitude = product << Int128(shift)
        } else if shift <= -100 {
            magnitude = 0
        } else {
            magnitude = (product + (1 << Int128(-shift - 1))) >> Int128(-shift)
        }
        return seconds < 0 ? -magnitude : magnitude
    }

    private static func append(_ number: Int, _ width: Int, to text: inout String) {
        let digits = String(number)
        for _ in digits.utf8.count..<max(width, digits.utf8.count) { text += "0" }
        text += digits
    }

    // MARK: The calendar

    private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    private static func daysInMonth(_ month: Int, of year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days from 0001-01-01 to the first of January.
    private static func daysBefore(year: Int) -> Int {
        let past = year - 1
        return past * 365 + past / 4 - past / 100 + past / 400
    }

    /// Days from the first of January to the first of the month.
    private static func daysBefore(month: Int, of year: Int) -> Int {
        (1..<month).reduce(0) { $0 + daysInMonth($1, of: year) }
    }

    /// The date that is so many days, not below zero, after 0001-01-01.
    private static func date(_ days: Int) -> (year: Int, month: Int, day: Int) {
        // No year is longer than the mean by a day, so the first guess is off by one at most.
        var year = days * 400 / 146_097 + 1
        while daysBefore(year: year) > days { year -= 1 }
        while daysBefore(year: year + 1) <= days { year += 1 }
        var day = days - daysBefore(year: year)
        var month = 1
        while day >= daysInMonth(month, of: year) {
            day -= daysInMonth(month, of: year)
            month += 1
        }
        return (year, month, day + 1)
    }

    // MARK: The parts of the text

    private struct Cursor {
        let bytes: [UInt8]
        var position = 0

        static var malformed: Refusal { Refusal(form) }

        var isAtEnd: Bool { position == bytes.count }

        private mutating func digit() -> UInt8? {
            guard position < bytes.count, 0x30...0x39 ~= bytes[position] else { return nil }
            defer { position += 1 }
            return bytes[position]
        }

        mutating func number(_ width: Int) throws(Refusal) -> Int {
            var value = 0
            for _ in 0..<width {
                guard let digit = digit() else { throw Self.malformed }
                value = value * 10 + Int(digit &- 0x30)
            }
            return value
        }

        mutating func skip(_ letter: Unicode.Scalar, or other: Unicode.Scalar? = nil) throws(Refusal) {
            guard position < bytes.count else { throw Self.malformed }
            let scalar = Unicode.Scalar(bytes[position])
            guard scalar == letter || scalar == other else { throw Self.malformed }
            position += 1
        }

        /// The digits after a point, without trailing zeros; empty without a point.
        mutating func fraction() throws(Refusal) -> ArraySlice<UInt8> {
            guard position < bytes.count, bytes[position] == 0x2E else { return [] }
            position += 1
            let start = position
            while digit() != nil {}
            guard position > start else { throw Self.malformed }
            var digits = bytes[start..<position]
            while digits.last == 0x30 { digits.removeLast() }
            return digits
        }

        /// Seconds east of Greenwich.
        mutating func offset() throws(Refusal) -> Int {
            guard position < bytes.count else { throw Self.malformed }
            let sign = bytes[position]
            position += 1
            switch sign {
            case 0x5A, 0x7A: return 0
            case 0x2B, 0x2D:
                let hour = try number(2)
                try skip(":")
                let minute = try number(2)
                guard hour <= 23, minute <= 59 else { throw Refusal("a date with an offset from -23:59 to +23:59") }
                return (sign == 0x2D ? -1 : 1) * (hour * 3600 + minute * 60)
            default: throw Self.malformed
            }
        }
    }
}
