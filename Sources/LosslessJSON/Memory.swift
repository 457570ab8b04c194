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
}
