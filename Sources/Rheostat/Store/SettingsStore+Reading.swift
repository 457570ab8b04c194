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

    /// The general read. See ``subscript(_:)``.
    @inlinable @inline(__always)
    nonisolated func read<Value: SettingValue>(_ key: SettingKey<Value>) -> Value {
        if let entry = unsafe table.entry(at: key.index) {
            let address = unsafe entry.pointee.cell.load(ordering: .acquiring) & ~CellTable.hasWord
            if let cell = unsafe UnsafeRawPointer(bitPattern: address) {
                // Sound: the entry at a key's index holds a cell of the key's type, which lives as long as the store.
                return unsafe Unmanaged<SettingCell<Value>>.fromOpaque(cell)._withUnsafeGuaranteedRef { $0.load() }
            }
        }
        return readFirst(key)
    }

    /// The value of `key` now. For trivial values of at most 8 bytes it is one atomic load.
    public nonisolated subscript<Value: SettingValue & BitwiseCopyable>(key: SettingKey<Value>) -> Value {
        @inlinable @inline(__always) get { readWord(key) }
        set { assign(newValue, to: key) }
    }

    @inlinable @inline(__always)
    nonisolated func readWord<Value: SettingValue & BitwiseCopyable>(_ key: SettingKey<Value>) -> Value {
        if MemoryLayout<Value>.size <= MemoryLayout<UInt64>.size {
            if let entry = unsafe table.entry(at: key.index),
                unsafe entry.pointee.cell.load(ordering: .acquiring) & CellTable.hasWord != 0
            {
                return SettingWord.value(of: unsafe entry.pointee.word.load(ordering: .acquiring))
            }
            return readFirst(key, word: { SettingWord.word(of: $0) })
        }
        return readFirst(key)
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

    /// Where the value of `key` comes from now: the place in the file, or the key's default.
    public nonisolated func source<Value: SettingValue>(of key: SettingKey<Value>) -> SettingOrigin {
        guard let cell = publication.cell(for: key) else { return .keyDefault }
        return publication.snapshot.origin(of: cell.path) ?? .keyDefault
    }

    /// The store as JSON values by path.
    public nonisolated var raw: RawSettings { RawSettings(store: self) }

    /// The number of the last publication that changed something.
    public nonisolated var revision: UInt64 { publication.revision }
}
