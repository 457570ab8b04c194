public import Synchronization

/// A store's cells by the dense index of their key: what a read goes through.
///
/// The table is a few chunks, each twice as long as the one before, which never move: the index gives the chunk by a
/// leading-zero count, so the table grows without a lock for readers. An entry holds the address of the cell and, for
/// small trivial values, the value itself.
@safe @usableFromInline
struct CellTable: @unchecked Sendable {
    // Sound: the memory holds nothing but atomics. It is freed by `deallocate`, which the owner calls when it goes, and
    // the owner outlives each reader.

    @usableFromInline
    struct Entry: ~Copyable {
        /// The cell's address, its lowest bit set when `word` may be read; 0 before the cell is made.
        @usableFromInline let cell: Atomic<UInt>
        /// The value's bytes.
        @usableFromInline let word: Atomic<UInt64>

        init() {
            cell = Atomic(0)
            word = Atomic(0)
        }
    }

    @usableFromInline static var hasWord: UInt { 1 }
    /// The first chunk has 2 to the power of this many entries.
    @usableFromInline static var firstChunkBits: Int { 5 }

    /// For each power of two the chunk that begins there, as a read needs it: the address which entry 0 would have if the
    /// chunk reached down to it, plus 1. It is 0 for a chunk not made yet, and never 0 for one that is made, since entries
    /// lie at even addresses.
    @usableFromInline let chunks: UnsafeMutablePointer<Atomic<UInt>>

    /// Odd while values are being changed, and another number after each change: who reads several values and finds it
    /// even and the same before and after has read them at one revision.
    @usableFromInline let sequence: UnsafeMutablePointer<Atomic<UInt>>

    init() {
        unsafe sequence = .allocate(capacity: 1)
        unsafe sequence.initialize(to: Atomic(0))
        unsafe chunks = .allocate(capacity: UInt.bitWidth)
        for bit in 0..<UInt.bitWidth { unsafe (chunks + bit).initialize(to: Atomic(0)) }
    }

    /// Frees the table. Nobody may read it afterwards. The cells are not released.
    func deallocate() {
        for bit in 0..<UInt.bitWidth {
            let base = unsafe chunks[bit].load(ordering: .relaxed)
            guard base != 0 else { continue }
            let address = base &- 1 &+ Self.bytes(before: 1 &<< UInt(bit))
            unsafe UnsafeMutablePointer<Entry>(bitPattern: address)?.deallocate()
        }
        unsafe chunks.deallocate()
        unsafe sequence.deallocate()
    }

    /// Said before values are changed. Called with the publication lock held.
    func beginChange() { _ = unsafe sequence.pointee.wrappingAdd(1, ordering: .acquiringAndReleasing) }

    /// Said after values were changed. Called with the publication lock held.
    func endChange() { _ = unsafe sequence.pointee.wrappingAdd(1, ordering: .acquiringAndReleasing) }

    /// The length of so many entries.
    @inlinable @inline(__always)
    static func bytes(before count: UInt) -> UInt { count &* UInt(bitPattern: MemoryLayout<Entry>.stride) }

    /// The entry for `index`, or `nil` if its chunk does not exist yet.
    @inlinable @inline(__always)
    func entry(at index: Int) -> UnsafeMutablePointer<Entry>? {
        let number = UInt(bitPattern: index) &+ (1 &<< UInt(Self.firstChunkBits))
        // A number is never 0. Saying so spares the machine the case of a word without a bit.
        let bit = UInt.bitWidth &- 1 &- (number | 1).leadingZeroBitCount
        let base = unsafe chunks[bit].load(ordering: .acquiring)
        if base == 0 { return nil }
        // Sound: the address lies in the chunk, so it is not 0.
        return unsafe UnsafeMutablePointer<Entry>(bitPattern: base &+ Self.bytes(before: number) &- 1).unsafelyUnwrapped
    }

    /// The address of the cell of the key with this index; `nil` when it is not made yet.
    @inlinable @inline(__always)
    func cell(at index: Int) -> UnsafeRawPointer? {
        guard let entry = unsafe entry(at: index) else { return nil }
        return unsafe UnsafeRawPointer(bitPattern: entry.pointee.cell.load(ordering: .acquiring) & ~Self.hasWord)
    }

    /// The entry for `index`, its chunk made if needed. Called with the publication lock held.
    func makeEntry(at index: Int) -> UnsafeMutablePointer<Entry> {
        if let entry = unsafe entry(at: index) { return unsafe entry }
        let number = UInt(bitPattern: index) + (1 << UInt(Self.firstChunkBits))
        let bit = UInt.bitWidth - 1 - number.leadingZeroBitCount
        let count = 1 << bit
        let chunk = UnsafeMutablePointer<Entry>.allocate(capacity: count)
        for offset in 0..<count { unsafe (chunk + offset).initialize(to: Entry()) }
        let base = UInt(bitPattern: chunk) &- Self.bytes(before: UInt(count)) &+ 1
        unsafe chunks[bit].store(base, ordering: .releasing)
        return unsafe chunk + (Int(bitPattern: number) - count)
    }
}
