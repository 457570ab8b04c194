/// The exact decimal value of a number's spelling: digits and a power of ten.
struct JSONNumber {
    /// A minus sign is written.
    var isNegative: Bool
    /// The significant digits (ASCII), neither leading nor trailing zeros; empty for zero.
    var digits: [UInt8]
    /// The value is `digits` × 10^`exponent`. Saturates at ±2^62 for absurd spellings.
    var exponent: Int

    /// Reads a number that the scan has checked.
    init(_ document: JSONDocument, _ index: Int) {
        let node = document.node(index)
        var p = Int(node.start)
        let end = Int(node.end)
        isNegative = document.byte(p) == 0x2D
        if isNegative { p += 1 }
        digits = []
        var fraction = 0
        var inFraction = false
        while p < end {
            let c = document.byte(p)
            if c == 0x2E {
                inFraction = true
            } else if c | 0x20 == 0x65 {
                break
            } else {
                if inFraction { fraction += 1 }
                if c != 0x30 || !digits.isEmpty { digits.append(c) }
            }
            p += 1
        }
        var power = 0
        if p < end {
            p += 1
            let isDown = document.byte(p) == 0x2D
            if isDown || document.byte(p) == 0x2B { p += 1 }
            while p < end {
                power = min(power * 10 + Int(document.byte(p) &- 0x30), 1 << 56)
                p += 1
            }
            if isDown { power = -power }
        }
        exponent = power - fraction
        while digits.last == 0x30 {
            digits.removeLast()
            exponent += 1
        }
        if digits.isEmpty { exponent = 0 }
    }

    /// Whether two numbers have the same value (and sign: -0 is not 0).
    static func areEqual(_ left: JSONDocument, _ leftIndex: Int, _ right: JSONDocument, _ rightIndex: Int) -> Bool {
        let a = left.node(leftIndex)
        let b = right.node(rightIndex)
        let length = Int(a.end &- a.start)
        if length == Int(b.end &- b.start), left.sameBytes(Int(a.start), length, in: right, at: Int(b.start)) {
            return true
        }
        // Without fraction and exponent a value has one spelling only.
        if !(a.has(TapeNode.isFloating) || b.has(TapeNode.isFloating)) { return false }
        let x = JSONNumber(left, leftIndex)
        let y = JSONNumber(right, rightIndex)
        let limit = 1 << 55
        // Beyond the limit exponents have been cut off; such numbers count as equal by spelling only.
        if abs(x.exponent) > limit || abs(y.exponent) > limit { return false }
        return x.isNegative == y.isNegative && x.exponent == y.exponent && x.digits == y.digits
    }
}
