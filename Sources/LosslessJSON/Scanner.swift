/// The scan of a text to a tape: one pass, no recursion, eight bytes at a time where text is plain.
///
/// All unsafe reading of the scan is in this file. The text is followed by at least 8 zero bytes that belong to the
/// same allocation, so that a zero byte ends every loop and an 8-byte load that begins inside the text stays inside
/// the memory.
struct Scanner {
    /// The first byte of the text.
    let base: UnsafeRawPointer
    let count: Int
    let options: JSONOptions

    /// What stopped the scan; turned into an error, with line and column, by the caller.
    struct Failure: Error {
        var code: JSONSyntaxError.Code
        var offset: Int
        var expected: String?
    }

    init(base: UnsafeRawPointer, count: Int, options: JSONOptions) {
        self.base = base
        self.count = count
        self.options = options
    }

    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080
    private static let spaces: UInt64 = 0x2020_2020_2020_2020
    private static let quotes: UInt64 = 0x2222_2222_2222_2222
    private static let backslashes: UInt64 = 0x5C5C_5C5C_5C5C_5C5C

    @inline(__always)
    private func byte(_ position: Int) -> UInt8 { base.load(fromByteOffset: position, as: UInt8.self) }

    @inline(__always)
    private func word(_ position: Int) -> UInt64 {
        UInt64(littleEndian: base.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }

    // MARK: The loop

    /// Fills `tape`. A text without a value leaves it empty (if the options allow that).
    func scan(into tape: inout TapeMemory) throws(Failure) {
        var p = 0
        if count >= 3, byte(0) == 0xEF, byte(1) == 0xBB, byte(2) == 0xBF { p = 3 }
        var c = try skipTrivia(&p)
        if c == 0, p >= count {
            if options.allowsNoValue { return }
            throw Failure(code: .noValue, offset: p)
        }
        var depth = 0
        // The innermost open container; its node's `next` is the one around it.
        var open = -1
        var inObject = false

        value: while true {
            // A value begins at p with the byte c.
            switch c {
            case 0x22:
                let start = p
                let flags = try scanString(&p)
                let next = UInt32(truncatingIfNeeded: tape.count &+ 1)
                tape.append(
                    TapeNode(
                        start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: p), next: next,
                        info: UInt32(JSONNode.Kind.string.rawValue) | flags))
            case 0x2D, 0x30...0x39:
                let start = p
                let flags = try scanNumber(&p)
                let next = UInt32(truncatingIfNeeded: tape.count &+ 1)
                tape.append(
                    TapeNode(
                        start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: p), next: next,
                        info: UInt32(JSONNode.Kind.number.rawValue) | flags))
            case 0x7B, 0x5B:
                if depth >= options.maximumDepth { throw Failure(code: .tooDeep, offset: p) }
                depth &+= 1
                let kind: JSONNode.Kind = c == 0x7B ? .object : .array
                let index = tape.count
                tape.append(
                    TapeNode(
                        start: UInt32(truncatingIfNeeded: p), end: 0,
                        next: UInt32(truncatingIfNeeded: open), info: UInt32(kind.rawValue)))
                open = index
                inObject = kind == .object
                p &+= 1
                c = try skipTrivia(&p)
                if inObject {
                    if c == 0x22 {
                        c = try scanName(&p, into: &tape)
                        continue value
                    }
                    if c != 0x7D { throw failure(at: p, expected: "a member name or '}'") }
                } else if c != 0x5D {
                    if c == 0x2C || c == 0x7D || c == 0x3A || c == 0 {
                        throw failure(at: p, expected: "a value or ']'")
                    }
                    continue value
                }
                // An empty container: closed below.
                p &+= 1
                (open, inObject) = close(open, end: p, in: &tape)
                depth &-= 1
            case 0x74, 0x66, 0x6E:
                let start = p
                let kind = try scanLiteral(c, &p)
                let next = UInt32(truncatingIfNeeded: tape.count &+ 1)
                tape.append(
                    TapeNode(
                        start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: p), next: next,
                        info: UInt32(kind.rawValue)))
            default:
                throw failure(at: p, expected: "a value")
            }

            // A value has ended before p.
            while true {
                c = try skipTrivia(&p)
                if open < 0 {
                    if p < count { throw Failure(code: .textAfterValue, offset: p) }
                    return
                }
                if c == 0x2C {
                    let comma = p
                    p &+= 1
                    c = try skipTrivia(&p)
                    if inObject {
                        if c == 0x22 {
                            c = try scanName(&p, into: &tape)
                            continue value
                        }
                        if c != 0x7D { throw failure(at: p, expected: "a member name") }
                    } else if c != 0x5D {
                        continue value
                    }
                    if !options.allowsTrailingCommas { throw Failure(code: .trailingComma, offset: comma) }
                } else if c != (inObject ? 0x7D : 0x5D) {
                    throw failure(at: p, expected: inObject ? "',' or '}'" : "',' or ']'")
                }
                p &+= 1
                (open, inObject) = close(open, end: p, in: &tape)
                depth &-= 1
            }
        }
    }

    /// Completes the open container and returns the one around it.
    @inline(__always)
    private func close(_ index: Int, end: Int, in tape: inout TapeMemory) -> (open: Int, inObject: Bool) {
        // Sound: `index` is a node that this scan appended.
        let node = tape.base + index
        let parent = Int(Int32(bitPattern: node.pointee.next))
        node.pointee.end = UInt32(truncatingIfNeeded: end)
        node.pointee.next = UInt32(truncatingIfNeeded: tape.count)
        if parent < 0 { return (-1, false) }
        return (parent, (tape.base + parent).pointee.info == UInt32(JSONNode.Kind.object.rawValue))
    }

    /// Scans `"name" :` and returns the first byte of the value, at which p stands then.
    @inline(__always)
    private func scanName(_ p: inout Int, into tape: inout TapeMemory) throws(Failure) -> UInt8 {
        let start = p
        let flags = try scanString(&p)
        let next = UInt32(truncatingIfNeeded: tape.count &+ 1)
        tape.append(
            TapeNode(
                start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: p), next: next,
                info: UInt32(JSONNode.Kind.string.rawValue) | TapeNode.isName | flags))
        var c = byte(p)
        if c != 0x3A { c = try skipTrivia(&p) }
        if c != 0x3A { throw failure(at: p, expected: "':'") }
        p &+= 1
        return try skipTrivia(&p)
    }

    // MARK: Tokens

    /// Skips white space and comments; returns the byte at which p stands then (0 at the end).
    @inline(__always)
    private func skipTrivia(_ p: inout Int) throws(Failure) -> UInt8 {
        var c = byte(p)
        if c > 0x20, c != 0x2F { return c }
        if c == 0x20 {
            p &+= 1
            c = byte(p)
            if c > 0x20, c != 0x2F { return c }
        }
        while true {
            if c == 0x0A || c == 0x0D || c == 0x09 || c == 0x20 {
                p &+= 1
                while true {
                    let difference = word(p) ^ Self.spaces
                    if difference != 0 {
                        p &+= difference.trailingZeroBitCount &>> 3
                        break
                    }
                    p &+= 8
                }
                c = byte(p)
                if c > 0x20, c != 0x2F { return c }
            } else if c == 0x2F {
                try skipComment(&p)
                c = byte(p)
            } else {
                return c
            }
        }
    }

    @inline(never)
    private func skipComment(_ p: inout Int) throws(Failure) {
        let start = p
        let second = byte(p &+ 1)
        if second != 0x2F && second != 0x2A { throw failure(at: p, expected: "a value") }
        if !options.allowsComments { throw Failure(code: .commentNotAllowed, offset: p) }
        p &+= 2
        if second == 0x2F {
            while true {
                // Plain text eight bytes at a time; tabs, line ends, NUL and non-ASCII bytes one by one.
                let w = word(p)
                let stop = ((w &- Self.spaces) | w) & Self.highs
                if stop == 0 {
                    p &+= 8
                    continue
                }
                p &+= stop.trailingZeroBitCount &>> 3
                let c = byte(p)
                if c == 0x0A || c == 0x0D { return }
                if c >= 0x80 {
                    try scanUTF8(&p)
                } else if c == 0, p >= count {
                    return
                } else if c == 0x09 || c >= 0x20 {
                    p &+= 1
                } else {
                    // Other control characters are harmless in a comment.
                    p &+= 1
                }
            }
        }
        while true {
            let c = byte(p)
            if c == 0x2A, byte(p &+ 1) == 0x2F {
                p &+= 2
                return
            }
            if c >= 0x80 {
                try scanUTF8(&p)
            } else if c == 0, p >= count {
                throw Failure(code: .unterminatedComment, offset: start)
            } else {
                p &+= 1
            }
        }
    }

    /// Scans a string from its opening quote past its closing one.
    @inline(__always)
    private func scanString(_ p: inout Int) throws(Failure) -> UInt32 {
        var q = p &+ 1
        while true {
            let w = word(q)
            // The lowest marked byte is exact: a borrow marks only bytes above one that is marked already.
            let stop =
                ((w &- Self.spaces) | ((w ^ Self.quotes) &- Self.ones) | ((w ^ Self.backslashes) &- Self.ones) | w)
                & Self.highs
            if stop == 0 {
                q &+= 8
                continue
            }
            q &+= stop.trailingZeroBitCount &>> 3
            if byte(q) == 0x22 {
                p = q &+ 1
                return 0
            }
            return try scanOddString(&p, from: q)
        }
    }

    /// The rest of a string that has an escape or a byte beyond ASCII, from `start` on.
    @inline(never)
    private func scanOddString(_ p: inout Int, from start: Int) throws(Failure) -> UInt32 {
        var q = start
        var flags: UInt32 = 0
        while true {
            let c = byte(q)
            if c == 0x22 {
                p = q &+ 1
                return flags
            }
            if c == 0x5C {
                flags = TapeNode.hasEscape
                switch byte(q &+ 1) {
                case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74:
                    q &+= 2
                case 0x75:
                    for digit in 2..<6 where !isHexadecimal(byte(q &+ digit)) {
                        if q &+ digit >= count { throw Failure(code: .unterminatedString, offset: count) }
                        throw Failure(code: .invalidEscape, offset: q)
                    }
                    q &+= 6
                default:
                    if q &+ 1 >= count { throw Failure(code: .unterminatedString, offset: count) }
                    throw Failure(code: .invalidEscape, offset: q)
                }
            } else if c >= 0x80 {
                try scanUTF8(&q)
            } else {
                if c == 0, q >= count { throw Failure(code: .unterminatedString, offset: q) }
                throw Failure(code: .controlCharacter, offset: q)
            }
            while true {
                let w = word(q)
                let stop =
                    ((w &- Self.spaces) | ((w ^ Self.quotes) &- Self.ones) | ((w ^ Self.backslashes) &- Self.ones) | w)
                    & Self.highs
                if stop == 0 {
                    q &+= 8
                    continue
                }
                q &+= stop.trailingZeroBitCount &>> 3
                break
            }
        }
    }

    @inline(__always)
    private func isHexadecimal(_ c: UInt8) -> Bool {
        (c &- 0x30) < 10 || ((c | 0x20) &- 0x61) < 6
    }

    /// Checks one sequence of UTF-8 that begins with a byte beyond ASCII (RFC 3629, table in section 4).
    @inline(__always)
    private func scanUTF8(_ p: inout Int) throws(Failure) {
        let first = byte(p)
        let second = byte(p &+ 1)
        if first < 0xE0 {
            if first >= 0xC2, second & 0xC0 == 0x80 {
                p &+= 2
                return
            }
        } else if first < 0xF0 {
            let low: UInt8 = first == 0xE0 ? 0xA0 : 0x80
            let high: UInt8 = first == 0xED ? 0x9F : 0xBF
            if second >= low, second <= high, byte(p &+ 2) & 0xC0 == 0x80 {
                p &+= 3
                return
            }
        } else if first < 0xF5 {
            let low: UInt8 = first == 0xF0 ? 0x90 : 0x80
            let high: UInt8 = first == 0xF4 ? 0x8F : 0xBF
            if second >= low, second <= high, byte(p &+ 2) & 0xC0 == 0x80, byte(p &+ 3) & 0xC0 == 0x80 {
                p &+= 4
                return
            }
        }
        throw Failure(code: .invalidUTF8, offset: p)
    }

    @inline(__always)
    private func scanNumber(_ p: inout Int) throws(Failure) -> UInt32 {
        var q = p
        var c = byte(q)
        if c == 0x2D {
            q &+= 1
            c = byte(q)
        }
        if c == 0x30 {
            q &+= 1
            c = byte(q)
            if (c &- 0x30) < 10 { throw Failure(code: .invalidNumber, offset: q) }
        } else {
            if (c &- 0x30) >= 10 { throw Failure(code: .invalidNumber, offset: q) }
            repeat {
                q &+= 1
                c = byte(q)
            } while (c &- 0x30) < 10
        }
        var flags: UInt32 = 0
        if c == 0x2E {
            flags = TapeNode.isFloating
            q &+= 1
            c = byte(q)
            if (c &- 0x30) >= 10 { throw Failure(code: .invalidNumber, offset: q) }
            repeat {
                q &+= 1
                c = byte(q)
            } while (c &- 0x30) < 10
        }
        if c | 0x20 == 0x65 {
            flags = TapeNode.isFloating
            q &+= 1
            c = byte(q)
            if c == 0x2B || c == 0x2D {
                q &+= 1
                c = byte(q)
            }
            if (c &- 0x30) >= 10 { throw Failure(code: .invalidNumber, offset: q) }
            repeat {
                q &+= 1
                c = byte(q)
            } while (c &- 0x30) < 10
        }
        p = q
        return flags
    }

    @inline(__always)
    private func scanLiteral(_ c: UInt8, _ p: inout Int) throws(Failure) -> JSONNode.Kind {
        let w = word(p)
        if UInt32(truncatingIfNeeded: w) == 0x6575_7274 {
            p &+= 4
            return .true
        }
        if UInt32(truncatingIfNeeded: w) == 0x6C6C_756E {
            p &+= 4
            return .null
        }
        if w & 0xFF_FFFF_FFFF == 0x65_736C_6166 {
            p &+= 5
            return .false
        }
        throw Failure(code: .invalidLiteral, offset: p)
    }

    private func failure(at offset: Int, expected: String) -> Failure {
        if offset >= count { return Failure(code: .unexpectedEnd, offset: count, expected: expected) }
        return Failure(code: .unexpectedCharacter, offset: offset, expected: expected)
    }
}
