extension JSONNode {
    // MARK: Scalars

    /// The boolean. Throws `typeMismatch` for anything but `true` and `false`.
    package func bool() throws(JSONValueError) -> Bool {
        switch kind {
        case .true: true
        case .false: false
        default: throw .mismatch(self, expected: "true or false")
        }
    }

    /// The string, escapes resolved. Throws `typeMismatch`, or `loneSurrogate` for what is no text.
    package func string() throws(JSONValueError) -> String {
        guard kind == .string else { throw .mismatch(self, expected: "a string") }
        guard let string = JSONString.exact(document, index) else {
            throw JSONValueError(
                .loneSurrogate, at: self, found: "half a surrogate pair", expected: "a string of whole characters")
        }
        return string
    }

    /// The integer, exact: `8080.0` and `1e2` are integers, `1.5` is not, and nothing wraps.
    ///
    /// Throws `typeMismatch` for what is no number, `notExact` for a fraction, `outOfRange` for what the type cannot
    /// hold.
    @inlinable
    package func integer<T: FixedWidthInteger>(as type: T.Type = T.self) throws(JSONValueError) -> T {
        // Inlined, so that it is specialized in other modules; unspecialized it costs ten times as much.
        if let short = shortInteger, let value = T(exactly: short) { return value }
        return try anyInteger(as: type)
    }

    /// The integer if it is spelled with at most 18 digits and nothing else, which fit without a check for each.
    @usableFromInline
    package var shortInteger: Int64? {
        let node = tapeNode
        guard node.kind == .number, !node.has(TapeNode.isFloating) else { return nil }
        var p = Int(node.start)
        let end = Int(node.end)
        let isNegative = document.byte(p) == 0x2D
        if isNegative { p += 1 }
        if end &- p > 18 { return nil }
        var magnitude: Int64 = 0
        while p < end {
            magnitude = magnitude &* 10 &+ Int64(document.byte(p) &- 0x30)
            p &+= 1
        }
        return isNegative ? -magnitude : magnitude
    }

    /// The integer in any spelling.
    @usableFromInline
    package func anyInteger<T: FixedWidthInteger>(as type: T.Type) throws(JSONValueError) -> T {
        guard kind == .number else { throw .mismatch(self, expected: "an integer") }
        let number = JSONNumber(document, index)
        if number.digits.isEmpty { return 0 }
        if number.exponent < 0 {
            throw JSONValueError(.notExact, at: self, found: "a number with a fraction", expected: "an integer")
        }
        // No integer type holds more digits than its bits.
        if number.digits.count + number.exponent > T.bitWidth { throw outOfRange(type) }
        var value: T = 0
        var overflow = false
        for position in 0..<(number.digits.count + number.exponent) {
            let digit = position < number.digits.count ? T(number.digits[position] &- 0x30) : 0
            let (product, first) = value.multipliedReportingOverflow(by: 10)
            let (sum, second) =
                number.isNegative
                ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
            value = sum
            overflow = overflow || first || second
        }
        if overflow { throw outOfRange(type) }
        return value
    }

    /// The number as a `Double`, correctly rounded from its decimal spelling.
    ///
    /// What would silently become another number is refused: an integer that `Double` cannot hold (2^53 + 1, spelled
    /// without fraction or exponent: `notExact`), a number beyond the largest, and one that is not zero but rounds to
    /// it (`outOfRange`).
    package func double() throws(JSONValueError) -> Double { try floatingPoint(Double.self) }

    /// The number as a `Float`, rounded once and by the same rules as `double()`.
    package func float() throws(JSONValueError) -> Float { try floatingPoint(Float.self) }

    private func outOfRange<T>(_ type: T.Type) -> JSONValueError {
        JSONValueError(.outOfRange, at: self, found: "a number out of range", expected: "a number that fits \(type)")
    }

    // MARK: Floating point

    private func floatingPoint<T: BinaryFloatingPoint & LosslessStringConvertible>(
        _ type: T.Type
    ) throws(JSONValueError) -> T {
        let node = tapeNode
        guard node.kind == .number else { throw .mismatch(self, expected: "a number") }
        if let value = shortNumber(node, type) { return value }
        let text = text
        guard let value = T(text), value.isFinite else { throw outOfRange(type) }
        if value == 0 {
            if !JSONNumber(document, index).digits.isEmpty { throw outOfRange(type) }
        } else if !node.has(TapeNode.isFloating), !isExact(value) {
            throw JSONValueError(
                .notExact, at: self, found: "an integer of too many digits", expected: "a number that fits \(type)")
        }
        return value
    }

    /// The exact fast path: a mantissa that the type holds, multiplied or divided by a power of ten that it holds, is
    /// rounded once and so correctly (Clinger, 1990). Nil if the number needs more.
    @inline(__always)
    private func shortNumber<T: BinaryFloatingPoint>(_ node: TapeNode, _ type: T.Type) -> T? {
        var p = Int(node.start)
        let end = Int(node.end)
        if end - p > 24 { return nil }
        let isNegative = document.byte(p) == 0x2D
        if isNegative { p += 1 }
        var mantissa: UInt64 = 0
        var exponent = 0
        var digits = 0
        while p < end {
            let c = document.byte(p)
            let digit = c &- 0x30
            if digit < 10 {
                mantissa = mantissa &* 10 &+ UInt64(digit)
                digits += mantissa == 0 ? 0 : 1
                p += 1
            } else {
                break
            }
        }
        if p < end, document.byte(p) == 0x2E {
            p += 1
            let point = p
            while p < end {
                let digit = document.byte(p) &- 0x30
                if digit >= 10 { break }
                mantissa = mantissa &* 10 &+ UInt64(digit)
                digits += mantissa == 0 ? 0 : 1
                p += 1
            }
            exponent = point - p
        }
        if digits > 18 { return nil }
        if p < end {
            p += 1
            let isDown = document.byte(p) == 0x2D
            if isDown || document.byte(p) == 0x2B { p += 1 }
            var power = 0
            while p < end {
                power = power * 10 + Int(document.byte(p) &- 0x30)
                if power > 400 { return nil }
                p += 1
            }
            exponent += isDown ? -power : power
        }
        if mantissa == 0 { return isNegative ? -0.0 : 0 }
        let isDouble = T.significandBitCount == 52
        guard mantissa < (isDouble ? 1 << 53 : 1 << 24), abs(exponent) <= (isDouble ? 22 : 10) else { return nil }
        let value = T(mantissa)
        let power = T(Self.powers[abs(exponent)])
        let result = exponent < 0 ? value / power : value * power
        return isNegative ? -result : result
    }

    private static let powers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]

    /// Whether an integer spelled in digits is exactly `value`.
    private func isExact<T: BinaryFloatingPoint>(_ value: T) -> Bool {
        var number = JSONNumber(document, index)
        number.digits += [UInt8](repeating: 0x30, count: number.exponent)
        if number.digits.count <= 38 {
            var exact: UInt128 = 0
            for digit in number.digits { exact = exact &* 10 &+ UInt128(digit &- 0x30) }
            return T(exactly: exact) == value.magnitude
        }
        return Self.decimalDigits(of: value.magnitude) == number.digits
    }

    /// The decimal digits of an integral floating point number, by long multiplication.
    private static func decimalDigits<T: BinaryFloatingPoint>(of value: T) -> [UInt8] {
        var limbs: [UInt32] = [0]  // base 10^9, lowest first
        var significand = UInt64(
            value.significand * T(sign: .plus, exponent: T.Exponent(T.significandBitCount), significand: 1))
        var digits: [UInt8] = []
        while significand > 0 {
            digits.append(UInt8(significand % 10))
            significand /= 10
        }
        limbs = []
        var position = 0
        while position < digits.count {
            var limb: UInt32 = 0
            for offset in (0..<9).reversed() where position + offset < digits.count {
                limb = limb * 10 + UInt32(digits[position + offset])
            }
            limbs.append(limb)
            position += 9
        }
        for _ in 0..<max(0, Int(value.exponent) - T.significandBitCount) {
            var carry: UInt32 = 0
            for place in limbs.indices {
                let doubled = limbs[place] * 2 + carry
                limbs[place] = doubled % 1_000_000_000
                carry = doubled / 1_000_000_000
            }
            if carry > 0 { limbs.append(carry) }
        }
        var text: [UInt8] = []
        for limb in limbs {
            var rest = limb
            for _ in 0..<9 {
                text.append(UInt8(0x30 + rest % 10))
                rest /= 10
            }
        }
        while text.last == 0x30 { text.removeLast() }
        return text.reversed()
    }

    // MARK: Comparing

    /// Whether both are the same JSON value: numbers by exact decimal value (the sign of zero counts), strings with
    /// their escapes resolved, members in any order, the last of a repeated name counting.
    package func isEquivalent(to other: JSONNode) -> Bool {
        Equivalence.areEqual(document, index, other.document, other.index)
    }
}
