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
    public nonisolated subscript<First: SettingValue, Second: SettingValue>(
        first: SettingKey<First>, second: SettingKey<Second>
    ) -> (First, Second) {
        for _ in 0..<8 {
            let before = unsafe table.sequence.pointee.load(ordering: .acquiring)
            guard before & 1 == 0 else { continue }
            let values = (read(first), read(second))
            // The loads of the values are acquiring too, so this one is not done before them.
            if unsafe table.sequence.pointee.load(ordering: .acquiring) == before { return values }
        }
        return readLocked(first, second)
    }

    /// The values of three keys at one revision; see the subscript of two. Two and three have one of their own because the
    /// compiler does not specialise the one for any number.
    @inlinable
    public nonisolated subscript<First: SettingValue, Second: SettingValue, Third: SettingValue>(
        first: SettingKey<First>, second: SettingKey<Second>, third: SettingKey<Third>
    ) -> (First, Second, Third) {
        for _ in 0..<8 {
            let before = unsafe table.sequence.pointee.load(ordering: .acquiring)
            guard before & 1 == 0 else { continue }
            let values = (read(first), read(second), read(third))
            // The loads of the values are acquiring too, so this one is not done before them.
            if unsafe table.sequence.pointee.load(ordering: .acquiring) == before { return values }
        }
        return readLocked(first, second, third)
    }

    /// The values of more keys at one revision; see the subscript of two.
    @inlinable
    public nonisolated subscript<
        First: SettingValue, Second: SettingValue, Third: SettingValue, Fourth: SettingValue, each Rest: SettingValue
    >(
        first: SettingKey<First>, second: SettingKey<Second>, third: SettingKey<Third>, fourth: SettingKey<Fourth>,
        rest: repeat SettingKey<each Rest>
    ) -> (First, Second, Third, Fourth, repeat each Rest) {
        for _ in 0..<8 {
            let before = unsafe table.sequence.pointee.load(ordering: .acquiring)
            guard before & 1 == 0 else { continue }
            let values = (read(first), read(second), read(third), read(fourth), repeat read(each rest))
            // The loads of the values are acquiring too, so this one is not done before them.
            if unsafe table.sequence.pointee.load(ordering: .acquiring) == before { return values }
        }
        return readLocked(first, second, third, fourth, repeat each rest)
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
