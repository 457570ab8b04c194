/// Durations as text with units, both ways: `250ms`, `1h30m`, `1.5s`, `-2m`.
///
/// The units are d (24 h), h, m, s, ms, us (read also as µs) and ns. A text is an optional minus sign and components
/// from the largest unit to the smallest, each unit at most once; the last may have a fraction. Nothing is rounded: what
/// is finer than an attosecond is refused.
enum DurationText {
    /// Why a text is no duration. `expected` follows the word "expected"; it does not quote the text.
    struct Refusal: Error {
        let expected: String
        init(_ expected: String) { self.expected = expected }
    }

    /// What to write where there is no duration.
    static let form = "a duration with its unit, such as \"250ms\" or \"1h30m\""

    /// From the largest; in attoseconds.
    private static let units: [(name: String, attoseconds: UInt128)] = [
        ("d", 86_400_000_000_000_000_000_000), ("h", 3_600_000_000_000_000_000_000), ("m", 60_000_000_000_000_000_000),
        ("s", 1_000_000_000_000_000_000), ("ms", 1_000_000_000_000_000), ("us", 1_000_000_000_000),
        ("ns", 1_000_000_000),
    ]

    // MARK: Reading

    /// The attoseconds that a text stands for.
    static func attoseconds(_ text: String) throws(Refusal) -> Int128 {
        let malformed = Refusal(form)
        var rest = Array(text.utf8)[...]
        let isNegative = rest.first == 0x2D
        if isNegative { rest.removeFirst() }
        guard !rest.isEmpty else { throw malformed }
        var magnitude: UInt128 = 0
        var place = 0
        while !rest.isEmpty {
            let whole = rest.prefix { 0x30...0x39 ~= $0 }
            guard !whole.isEmpty else { throw malformed }
            rest = rest.dropFirst(whole.count)
            var fraction = ArraySlice<UInt8>()
            if rest.first == 0x2E {
                fraction = rest.dropFirst().prefix { 0x30...0x39 ~= $0 }
                guard !fraction.isEmpty else { throw malformed }
                rest = rest.dropFirst(fraction.count + 1)
                guard !rest.contains(where: { 0x30...0x39 ~= $0 }) else {
                    throw Refusal("a duration with a fraction in its last component only")
                }
            }
            let name = rest.prefix { !(0x30...0x39 ~= $0) }
            rest = rest.dropFirst(name.count)
            guard let unit = unit(name) else {
                throw name.isEmpty ? malformed : Refusal("a duration in the units d, h, m, s, ms, us and ns")
            }
            guard unit >= place else {
                throw Refusal("a duration with its units from the largest to the smallest, each once")
            }
            place = unit + 1
            let attoseconds = units[unit].attoseconds
            let (product, first) = try number(whole).multipliedReportingOverflow(by: attoseconds)
            let (sum, second) = product.addingReportingOverflow(try part(fraction, of: attoseconds))
            let (total, third) = magnitude.addingReportingOverflow(sum)
            guard !first, !second, !third else { throw tooLong }
            magnitude = total
        }
        let limit = Int128.max.magnitude + (isNegative ? 1 : 0)
        guard magnitude <= limit else { throw tooLong }
        return isNegative ? Int128(truncatingIfNeeded: 0 &- magnitude) : Int128(magnitude)
    }

    private static var tooLong: Refusal { Refusal("a duration that Duration can hold (some 10^15 days)") }

    private static func unit(_ name: ArraySlice<UInt8>) -> Int? {
        if let found = units.firstIndex(where: { name.elementsEqual($0.name.utf8) }) { return found }
        // The micro sign and the Greek letter mu look the same.
        let isMicro = name.elementsEqual("\u{B5}s".utf8) || name.elementsEqual("\u{3BC}s".utf8)
        return isMicro ? units.firstIndex { $0.name == "us" } : nil
    }

    private static func number(_ digits: ArraySlice<UInt8>) throws(Refusal) -> UInt128 {
        var value: UInt128 = 0
        for digit in digits {
            let (product, first) = value.multipliedReportingOverflow(by: 10)
            let (sum, second) = product.addingReportingOverflow(UInt128(digit &- 0x30))
            guard !first, !second else { throw tooLong }
            value = sum
        }
        return value
    }

    /// The decimal fraction of so many attoseconds, if it is whole.
    private static func part(_ fraction: ArraySlice<UInt8>, of attoseconds: UInt128) throws(Refusal) -> UInt128 {
        var digits = fraction
        while digits.last == 0x30 { digits.removeLast() }
        let tooFine = Refusal("a duration in whole attoseconds")
        // A day has 25 factors of two and 20 of five: no longer fraction of it or of a smaller unit is whole.
        guard digits.count <= 25 else { throw tooFine }
        let scale = digits.reduce(UInt128(1)) { scale, _ in scale * 10 }
        let common = greatestCommonDivisor(attoseconds, scale)
        let (quotient, remainder) = try number(digits).quotientAndRemainder(dividingBy: scale / common)
        guard remainder == 0 else { throw tooFine }
        return quotient * (attoseconds / common)
    }

    private static func greatestCommonDivisor(_ one: UInt128, _ other: UInt128) -> UInt128 {
        var (larger, smaller) = (one, other)
        while smaller != 0 { (larger, smaller) = (smaller, larger % smaller) }
        return larger
    }

    // MARK: Writing

    /// The one spelling that is written: days, hours, minutes and seconds as far as they are not zero, the seconds with
    /// the shortest fraction; what is shorter than a second in the largest of ms, us and ns that it has one of. Zero is
    /// `0s`. It reads back equal.
    static func text(_ attoseconds: Int128) -> String {
        var rest = attoseconds.magnitude
        if rest == 0 { return "0s" }
        var text = attoseconds < 0 ? "-" : ""
        let second = units[3].attoseconds
        if rest >= second {
            for unit in units[..<3] {
                let count = rest / unit.attoseconds
                if count > 0 { text += "\(count)\(unit.name)" }
                rest %= unit.attoseconds
            }
            if rest > 0 { text += decimal(rest, of: second) + "s" }
            return text
        }
        let unit = units[4...].first { rest >= $0.attoseconds } ?? units[6]
        return text + decimal(rest, of: unit.attoseconds) + unit.name
    }

    /// `attoseconds / unit` in decimal, where `unit` is a power of ten.
    private static func decimal(_ attoseconds: UInt128, of unit: UInt128) -> String {
        let whole = attoseconds / unit
        let rest = attoseconds % unit
        if rest == 0 { return "\(whole)" }
        // The unit before the rest keeps its leading zeros; its own first digit goes.
        var digits = Array("\(unit + rest)".utf8.dropFirst())
        while digits.last == 0x30 { digits.removeLast() }
        return "\(whole)." + String(decoding: digits, as: UTF8.self)
    }
}
