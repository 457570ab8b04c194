#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Allocating, comparing and searching raw memory.
enum Memory {
    /// Room for `count` nodes, with the contents of `old`, which is freed; shrinking stays in place. Traps if the
    /// system has no memory left, as Swift's own allocations do.
    static func resize(_ old: UnsafeMutablePointer<TapeNode>?, to count: Int) -> UnsafeMutablePointer<TapeNode> {
        // Sound: nodes are trivial, so that bytes can be moved as they are.
        guard let memory = realloc(old, count * MemoryLayout<TapeNode>.stride) else {
            fatalError("out of memory for \(count) nodes")
        }
        return memory.assumingMemoryBound(to: TapeNode.self)
    }

    /// Frees what `resize` returned.
    static func free(_ memory: UnsafePointer<TapeNode>) {
        #if canImport(Glibc)
            Glibc.free(UnsafeMutableRawPointer(mutating: memory))
        #elseif canImport(Musl)
            Musl.free(UnsafeMutableRawPointer(mutating: memory))
        #else
            Darwin.free(UnsafeMutableRawPointer(mutating: memory))
        #endif
    }

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
