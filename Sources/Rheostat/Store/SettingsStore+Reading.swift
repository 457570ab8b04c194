import Locking
public import Synchronization

extension SettingsStore {
    /// The value of `key` now.
    ///
    /// Reading never blocks on a write, never touches the disk and costs a few nanoseconds. What is read is what was
    /// last published: a change is readable before its event is delivered. After ``close()`` the last values stay.
    ///
    /// A key that was not declared and whose stored value is invalid reads its default; see ``problems()``.
    ///
    /// **Assigning.** `settings[.level] = .debug` is visible at once and made durable in the background, in the order of
    /// the writes; assignments to one key that nothing else came between are joined. If the write fails, the value goes
    /// back to what is committed (a change with cause `rollback`), a problem is published, and the next ``flush()``
    /// throws. A value that the key does not take is not taken: the old one stays, and a problem is published. After
    /// ``close()`` assignments are ignored. `+=` works, but is no atomic step: use ``update(_:)`` for that.
    public nonisolated subscript<Value: SettingValue>(key: SettingKey<Value>) -> Value {
        @inlinable @inline(__always) get { read(key) }
        set { assign(newValue, to: key) }
    }

    /// The value of `key` now. For trivial values of at most 8 bytes it is one atomic load, for those of at most 16 bytes
    /// a few; neither takes a lock. Assigning is the same for all types.
    public nonisolated subscript<Value: SettingValue & BitwiseCopyable>(key: SettingKey<Value>) -> Value {
        @inlinable @inline(__always) get { readTrivial(key) }
        set { assign(newValue, to: key) }
    }

    /// The read of a value of any type: by the word if another read has asked for one, else by the cell's lock.
    @inlinable @inline(__always)
    nonisolated func read<Value: SettingValue>(_ key: SettingKey<Value>) -> Value {
        guard let entry = unsafe table.entry(at: key.index) else { return readFirst(key) }
        let address = unsafe entry.pointee.cell.load(ordering: .acquiring)
        if MemoryLayout<Value>.size <= MemoryLayout<UInt64>.size, address & CellTable.hasWord != 0 {
            // Sound: only trivial values are put into the word.
            return SettingWord.value(of: unsafe entry.pointee.word.load(ordering: .acquiring))
        }
        guard let cell = unsafe UnsafeRawPointer(bitPattern: address & ~CellTable.hasWord) else {
            return readFirst(key)
        }
        // Sound: the entry at a key's index holds a cell of the key's type, which lives as long as the store.
        return unsafe Unmanaged<SettingCell<Value>>.fromOpaque(cell)._withUnsafeGuaranteedRef { $0.load() }
    }

    /// The read of a trivial value.
    @inlinable @inline(__always)
    nonisolated func readTrivial<Value: SettingValue & BitwiseCopyable>(_ key: SettingKey<Value>) -> Value {
        if MemoryLayout<Value>.size <= MemoryLayout<UInt64>.size {
            if let entry = unsafe table.entry(at: key.index),
                unsafe entry.pointee.cell.load(ordering: .acquiring) & CellTable.hasWord != 0
            {
                return SettingWord.value(of: unsafe entry.pointee.word.load(ordering: .acquiring))
            }
            return readFirst(key, word: { SettingWord.word(of: $0) })
        }
        guard let cell = unsafe table.cell(at: key.index) else { return readFirst(key) }
        // Sound: see above.
        return unsafe Unmanaged<SettingCell<Value>>.fromOpaque(cell)._withUnsafeGuaranteedRef { cell in
            if MemoryLayout<Value>.size > MemoryLayout<SettingWordPair.Words>.size { return cell.load() }
            if let words = cell.words.load() { return SettingWord.value(of: words) }
            return cell.words.isUnused ? readFirst(key, words: { SettingWord.words(of: $0) }) : cell.load()
        }
    }

    /// Makes the cell of a key that is used for the first time, and reads it.
    @usableFromInline
    nonisolated func readFirst<Value: SettingValue>(_ key: SettingKey<Value>) -> Value {
        publication.cell(for: key)?.load() ?? key.defaultValue
    }

    /// The same for a key whose values are read as a word from now on.
    @usableFromInline
    nonisolated func readFirst<Value: SettingValue>(
        _ key: SettingKey<Value>, word: @escaping @Sendable (Value) -> UInt64
    ) -> Value {
        guard let cell = publication.cell(for: key) else { return key.defaultValue }
        return publication.publishAsWord(cell, word)
    }

    /// The same for a key whose values are read as two words from now on.
    @usableFromInline
    nonisolated func readFirst<Value: SettingValue>(
        _ key: SettingKey<Value>, words: @escaping @Sendable (Value) -> SettingWordPair.Words?
    ) -> Value {
        guard let cell = publication.cell(for: key) else { return key.defaultValue }
        return publication.publishAsWords(cell, words)
    }

    /// Where the value of `key` comes from now: the place in the file, an assignment that
    /// is not on the disk yet, or the key's default.
    public nonisolated func source<Value: SettingValue>(of key: SettingKey<Value>) -> SettingOrigin {
        guard let cell = publication.cell(for: key) else { return .keyDefault }
        let (isAssigned, snapshot) = publication.state.withLock { ($0.isAssigned(cell), $0.snapshot) }
        return isAssigned ? .assignment : snapshot.origin(of: cell.path) ?? .keyDefault
    }

    /// The store as JSON values by path.
    public nonisolated var raw: RawSettings { RawSettings(store: self) }

    /// The number of the last publication that changed something.
    public nonisolated var revision: UInt64 { publication.revision }
}
