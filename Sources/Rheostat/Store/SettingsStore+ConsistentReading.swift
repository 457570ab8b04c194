import Locking
public import Synchronization

extension SettingsStore {
    /// The values of several keys at one revision: no commit and no assignment lies between them.
    ///
    /// ```swift
    /// let (host, port) = settings[.host, .port]
    /// ```
    ///
    /// It costs what the single reads cost and two loads more, unless a publication comes in between; then the reading is
    /// repeated, a few times without a lock, then with it.
    @inlinable
    public nonisolated subscript<First: SettingValue, Second: SettingValue, each Rest: SettingValue>(
        first: SettingKey<First>, second: SettingKey<Second>, rest: repeat SettingKey<each Rest>
    ) -> (First, Second, repeat each Rest) {
        for _ in 0..<8 {
            let before = unsafe table.sequence.pointee.load(ordering: .acquiring)
            guard before & 1 == 0 else { continue }
            let values = (read(first), read(second), repeat read(each rest))
            // The loads of the values are acquiring too, so this one is not done before them.
            if unsafe table.sequence.pointee.load(ordering: .acquiring) == before { return values }
        }
        return readLocked(first, second, repeat each rest)
    }

    /// The same while publications wait.
    @usableFromInline
    nonisolated func readLocked<each Value: SettingValue>(
        _ keys: repeat SettingKey<each Value>
    ) -> (repeat each Value) {
        // Cells are made before, since decoding runs code of the user.
        let cells = (repeat ReadableCell(of: each keys, in: publication))
        return publication.state.withLock { _ in (repeat (each cells).load()) }
    }
}

/// A key's cell, or its default where the key cannot be used.
struct ReadableCell<Value: SettingValue>: Sendable {
    let key: SettingKey<Value>
    let cell: SettingCell<Value>?

    init(of key: SettingKey<Value>, in publication: Publication) {
        self.key = key
        cell = publication.cell(for: key)
    }

    func load() -> Value { cell?.load() ?? key.defaultValue }
}
