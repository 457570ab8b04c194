public import Synchronization

/// A store's cells by the dense index of their key: what a read goes through.
///
/// The table is a few chunks, each twice as long as the one before, which never move: the index gives chunk and offset by
/// a leading-zero count, so the table grows without a lock for readers. An entry holds the address of the cell and, for
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
    static let chunkCount = 48

    /// The addresses of the chunks; 0 for one not made yet.
    @usableFromInline let chunks: UnsafeMutablePointer<Atomic<UInt>>

    /// Odd while values are being changed, and another number after each change: who reads several values and finds it
    /// even and the same before and after has read them at one revision.
    @usableFromInline let sequence: UnsafeMutablePointer<Atomic<UInt>>

    init() {
        unsafe sequence = .allocate(capacity: 1)
        unsafe sequence.initialize(to: Atomic(0))
        unsafe chunks = .allocate(capacity: Self.chunkCount)
        for index in 0..<Self.chunkCount { unsafe (chunks + index).initialize(to: Atomic(0)) }
    }

    /// Frees the table. Nobody may read it afterwards. The cells are not released.
    func deallocate() {
        for chunk in 0..<Self.chunkCount {
            let address = unsafe chunks[chunk].load(ordering: .relaxed)
            unsafe UnsafeMutablePointer<Entry>(bitPattern: address)?.deallocate()
        }
        unsafe chunks.deallocate()
        unsafe sequence.deallocate()
    }

    /// Said before values are changed. Called with the publication lock held.
    func beginChange() { _ = unsafe sequence.pointee.wrappingAdd(1, ordering: .acquiringAndReleasing) }

    /// Said after values were changed. Called with the publication lock held.
    func endChange() { _ = unsafe sequence.pointee.wrappingAdd(1, ordering: .acquiringAndReleasing) }

    @usableFromInline @inline(__always)
    static func position(of index: Int) -> (chunk: Int, offset: Int) {
        let shifted = UInt(bitPattern: index) &+ (1 &<< UInt(firstChunkBits))
        let bit = UInt.bitWidth &- 1 &- shifted.leadingZeroBitCount
        return (bit &- firstChunkBits, Int(bitPattern: shifted &- (1 &<< UInt(bit))))
    }

    /// The entry for `index`, or `nil` if its chunk does not exist yet.
    @inlinable @inline(__always)
    func entry(at index: Int) -> UnsafeMutablePointer<Entry>? {
        let shifted = UInt(bitPattern: index) &+ (1 &<< UInt(Self.firstChunkBits))
        let bit = UInt.bitWidth &- 1 &- shifted.leadingZeroBitCount
        let address = unsafe chunks[bit &- Self.firstChunkBits].load(ordering: .acquiring)
        guard let chunk = unsafe UnsafeMutablePointer<Entry>(bitPattern: address) else { return nil }
        return unsafe chunk + Int(bitPattern: shifted &- (1 &<< UInt(bit)))
    }

    /// The entry for `index`, its chunk made if needed. Called with the publication lock held.
    func makeEntry(at index: Int) -> UnsafeMutablePointer<Entry> {
        if let entry = unsafe entry(at: index) { return unsafe entry }
        let (chunk, offset) = Self.position(of: index)
        let count = 1 << (chunk + Self.firstChunkBits)
        let made = UnsafeMutablePointer<Entry>.allocate(capacity: count)
        for index in 0..<count { unsafe (made + index).initialize(to: Entry()) }
        unsafe chunks[chunk].store(UInt(bitPattern: made), ordering: .releasing)
        return unsafe made + offset
    }
}
