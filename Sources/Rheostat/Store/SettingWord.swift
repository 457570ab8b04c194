import Locking
import Synchronization

/// Small trivial values as the 8 bytes of a table entry.
@usableFromInline
enum SettingWord {
    /// The bytes of `value`, which has at most 8; the others are zero.
    @inlinable @inline(__always)
    static func word<Value: BitwiseCopyable>(of value: Value) -> UInt64 {
        // Sound: `Value` is trivial and no larger than the word it is copied into, which has the stricter alignment.
        var word: UInt64 = 0
        unsafe withUnsafeMutableBytes(of: &word) { unsafe $0.storeBytes(of: value, as: Value.self) }
        return word
    }

    /// The value whose bytes `word` holds. `Value` must be trivial, which not every caller can say in its own type.
    @inlinable @inline(__always)
    static func value<Value>(of word: UInt64) -> Value {
        // Sound: the word was made of a `Value` by `word(of:)`; a cast is by size, as casts must be.
        switch MemoryLayout<Value>.size {
        case 8: return unsafe unsafeBitCast(word, to: Value.self)
        case 4: return unsafe unsafeBitCast(UInt32(truncatingIfNeeded: word), to: Value.self)
        case 2: return unsafe unsafeBitCast(UInt16(truncatingIfNeeded: word), to: Value.self)
        case 1: return unsafe unsafeBitCast(UInt8(truncatingIfNeeded: word), to: Value.self)
        default: return unsafe withUnsafeBytes(of: word) { unsafe $0.load(as: Value.self) }
        }
    }

    /// The bytes of `value`, which has at most 16; the others are zero.
    @inlinable @inline(__always)
    static func words<Value: BitwiseCopyable>(of value: Value) -> SettingWordPair.Words {
        // Sound: `Value` is trivial and no larger than what it is copied into.
        var words: SettingWordPair.Words = (0, 0)
        unsafe withUnsafeMutableBytes(of: &words) { unsafe $0.storeBytes(of: value, as: Value.self) }
        return words
    }

    /// The value whose bytes `words` holds.
    @inlinable @inline(__always)
    static func value<Value: BitwiseCopyable>(of words: SettingWordPair.Words) -> Value {
        // Sound: the words were made of a `Value` by `words(of:)`.
        unsafe withUnsafeBytes(of: words) { unsafe $0.loadUnaligned(as: Value.self) }
    }
}

extension Publication {
    /// From now on the cell's value can be read as a word in the table; returns the value.
    func publishAsWord<Value>(
        _ cell: SettingCell<Value>, _ word: @escaping @Sendable (Value) -> UInt64
    ) -> Value {
        state.withLock { _ in
            let entry = unsafe table.makeEntry(at: cell.key.index)
            let value = cell.load()
            if cell.storeWords == nil {
                cell.storeWords = { value in unsafe entry.pointee.word.store(word(value), ordering: .releasing) }
                cell.storeWords?(value)
                _ = unsafe entry.pointee.cell.bitwiseOr(CellTable.hasWord, ordering: .releasing)
            }
            return value
        }
    }

    /// From now on the cell's value can be read as two words in the cell, while `words` gives some for it; returns the
    /// value.
    func publishAsWords<Value>(
        _ cell: SettingCell<Value>, _ words: @escaping @Sendable (Value) -> SettingWordPair.Words?
    ) -> Value {
        state.withLock { _ in
            let value = cell.load()
            if cell.storeWords == nil {
                cell.storeWords = { [unowned cell] value in cell.words.store(words(value)) }
                cell.storeWords?(value)
            }
            return value
        }
    }
}
