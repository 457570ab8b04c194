/// One node of the tape: a value, or the name of a member (which its value follows at once).
struct TapeNode {
    /// The first byte of the token or container.
    var start: UInt32
    /// One past its last byte.
    var end: UInt32
    /// The index one past the node and all it contains. While a container is open: its parent, so that no stack is
    /// needed.
    var next: UInt32
    /// The kind in the low byte, flags above.
    var info: UInt32

    @inline(__always)
    var kind: JSONNode.Kind { JSONNode.Kind(rawValue: UInt8(truncatingIfNeeded: info)) ?? .null }
    @inline(__always)
    func has(_ flag: UInt32) -> Bool { info & flag != 0 }

    /// A string with at least one escape.
    static let hasEscape: UInt32 = 1 << 8
    /// A string that names a member.
    static let isName: UInt32 = 1 << 9
    /// A number with a fraction or an exponent.
    static let isFloating: UInt32 = 1 << 10
}

/// Growing raw memory for nodes. An array of nodes costs a quarter of the scan: its append checks uniqueness and
/// bounds each time.
struct TapeMemory: ~Copyable {
    /// `count` initialized nodes, room for `capacity`. From `Memory.allocate`.
    private(set) var base: UnsafeMutablePointer<TapeNode>
    private(set) var count: Int
    private var capacity: Int

    init(capacity: Int) {
        self.capacity = max(capacity, 16)
        base = Memory.resize(nil, to: self.capacity)
        count = 0
    }

    deinit { Memory.free(base) }

    @inline(__always)
    mutating func append(_ node: TapeNode) {
        if count == capacity { grow() }
        // Sound: `count < capacity` here.
        (base + count).initialize(to: node)
        count &+= 1
    }

    /// Hands the memory to the caller, who frees it with `Memory.free`; cut to size if most of it is unused.
    consuming func release() -> (base: UnsafePointer<TapeNode>, count: Int) {
        if capacity > 2 * count + 4096 { base = Memory.resize(base, to: max(count, 1)) }
        let result = (UnsafePointer(base), count)
        discard self
        return result
    }

    @inline(never)
    private mutating func grow() {
        capacity *= 2
        base = Memory.resize(base, to: capacity)
    }
}
