public import Synchronization

/// Sixteen bytes that any number of readers copy without a lock while one writer replaces them: a sequence lock.
///
/// The version is odd while the words are being written and while they hold nothing. A reader that finds it odd, or
/// changed after it has copied the words, reads by another way.
///
/// All three are atomics, so there is no data race. A word is read with acquiring and written with releasing order: a
/// reader that sees a new word sees also the odd version stored before it, and gives up.
@usableFromInline
struct SettingWordPair: ~Copyable {
    @usableFromInline typealias Words = (UInt64, UInt64)

    @usableFromInline let version: Atomic<UInt64>
    @usableFromInline let first: Atomic<UInt64>
    @usableFromInline let second: Atomic<UInt64>

    /// The version until something is stored for the first time.
    @usableFromInline static var unusedVersion: UInt64 { 1 }

    init() {
        version = Atomic(Self.unusedVersion)
        first = Atomic(0)
        second = Atomic(0)
    }

    /// Whether nothing was ever stored.
    @inlinable var isUnused: Bool { version.load(ordering: .relaxed) == Self.unusedVersion }

    /// The words; `nil` when there are none, or others are being written.
    @inlinable @inline(__always)
    func load() -> Words? {
        let before = version.load(ordering: .acquiring)
        if before & 1 != 0 { return nil }
        let words = (first.load(ordering: .acquiring), second.load(ordering: .acquiring))
        return version.load(ordering: .relaxed) == before ? words : nil
    }

    /// Replaces the words, or takes them away. One thread at a time may call this.
    func store(_ words: Words?) {
        let old = version.load(ordering: .relaxed)
        // Past the unused version at the first time, and never back to one that was.
        let odd = old == Self.unusedVersion ? 3 : old | 1
        version.store(odd, ordering: .relaxed)
        guard let words else { return }
        first.store(words.0, ordering: .releasing)
        second.store(words.1, ordering: .releasing)
        version.store(odd &+ 1, ordering: .releasing)
    }
}
