#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Comparing raw memory.
enum Memory {
    /// Whether `count` readable bytes at both addresses are equal. No bytes are equal wherever they are.
    @inline(__always)
    static func areEqual(_ left: UnsafeRawPointer?, _ right: UnsafeRawPointer?, _ count: Int) -> Bool {
        guard count > 0, let left, let right else { return count == 0 }
        return memcmp(left, right, count) == 0
    }

    /// Whether `byte` stands somewhere in `text`.
    static func contains(_ byte: UInt8, in text: UnsafeRawBufferPointer) -> Bool {
        guard let start = text.baseAddress, text.count > 0 else { return false }
        return memchr(start, CInt(byte), text.count) != nil
    }

    /// How often `byte` stands in `text`, eight bytes at a time.
    static func count(_ byte: UInt8, in text: UnsafeRawBufferPointer) -> Int {
        let pattern = UInt64(byte) &* 0x0101_0101_0101_0101
        var count = 0
        var position = 0
        while position &+ 8 <= text.count {
            let difference = text.loadUnaligned(fromByteOffset: position, as: UInt64.self) ^ pattern
            // The high bit of each byte that differs: exact, as no carry leaves a byte.
            let low = (difference & 0x7F7F_7F7F_7F7F_7F7F) &+ 0x7F7F_7F7F_7F7F_7F7F
            count &+= 8 &- ((low | difference) & 0x8080_8080_8080_8080).nonzeroBitCount
            position &+= 8
        }
        while position < text.count {
            if text[position] == byte { count &+= 1 }
            position &+= 1
        }
        return count
    }
}
