#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The bits of the floating point numbers that a value encodes, in the order in which it does; on request those of all
/// else too. This is how values of any `Codable` type are compared by bits where `==` goes by value.
final class FloatingPointTrace {
    /// What was met: the bits of each number, and, if `isWhole`, everything else as words.
    private(set) var words: [UInt64] = []
    /// Whether a NaN was met.
    private(set) var hasNaN = false
    private let isWhole: Bool

    /// Follows the encoding of `value`. Throws what its `encode(to:)` throws.
    init(_ value: some Encodable, isWhole: Bool = false) throws {
        self.isWhole = isWhole
        try encode(value)
    }

    fileprivate func note(_ value: Double) {
        if value.isNaN { hasNaN = true }
        words.append(value.bitPattern)
    }

    fileprivate func note(_ value: some FixedWidthInteger) {
        guard isWhole else { return }
        words.append(UInt64(truncatingIfNeeded: value))
        words.append(UInt64(truncatingIfNeeded: value >> 64))
    }

    fileprivate func note(_ text: String) {
        guard isWhole else { return }
        words.append(UInt64(text.utf8.count))
        for byte in text.utf8 { words.append(UInt64(byte)) }
    }

    fileprivate func encode<Value: Encodable>(_ value: Value) throws {
        if Value.self == Date.self, let date = value as? Date {
            // An instant has no sign of zero: adding zero takes it off.
            note(date.timeIntervalSinceReferenceDate + 0)
        } else {
            try value.encode(to: TraceEncoder(trace: self))
        }
    }
}

extension Encodable where Self: Equatable {
    /// `==`, but floating point numbers at any depth of the encoded form count by their bits.
    ///
    /// Values that are equal are the same if the bits of all their numbers agree, in any order, since a set may encode
    /// itself in any. Values that are not equal are the same only if they hold a NaN and encode bit for bit alike.
    func isSameByBits(as other: Self) -> Bool {
        let isEqual = self == other
        do {
            let mine = try FloatingPointTrace(self)
            if isEqual {
                let theirs = try FloatingPointTrace(other)
                return mine.words == theirs.words || mine.words.sorted() == theirs.words.sorted()
            }
            guard mine.hasNaN else { return false }
            return try FloatingPointTrace(self, isWhole: true).words == FloatingPointTrace(other, isWhole: true).words
        } catch {
            return isEqual
        }
    }
}

/// Notes values in a trace; also the container of a single value.
private struct TraceEncoder: Encoder, SingleValueEncodingContainer {
    let trace: FloatingPointTrace

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        trace.note(UInt8(ascii: "{"))
        return KeyedEncodingContainer(TraceObject<Key>(trace: trace))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        trace.note(UInt8(ascii: "["))
        return TraceArray(trace: trace)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() { trace.note(UInt8(ascii: "n")) }
    func encode(_ value: Bool) { trace.note(UInt8(value ? 1 : 0)) }
    func encode(_ value: String) { trace.note(value) }
    func encode(_ value: Double) { trace.note(value) }
    func encode(_ value: Float) { trace.note(Double(value)) }
    func encode(_ value: Int) { trace.note(value) }
    func encode(_ value: Int8) { trace.note(value) }
    func encode(_ value: Int16) { trace.note(value) }
    func encode(_ value: Int32) { trace.note(value) }
    func encode(_ value: Int64) { trace.note(value) }
    func encode(_ value: Int128) { trace.note(value) }
    func encode(_ value: UInt) { trace.note(value) }
    func encode(_ value: UInt8) { trace.note(value) }
    func encode(_ value: UInt16) { trace.note(value) }
    func encode(_ value: UInt32) { trace.note(value) }
    func encode(_ value: UInt64) { trace.note(value) }
    func encode(_ value: UInt128) { trace.note(value) }
    func encode<Value: Encodable>(_ value: Value) throws { try trace.encode(value) }
}

private struct TraceObject<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let trace: FloatingPointTrace

    var codingPath: [any CodingKey] { [] }

    private func encoder(_ key: Key) -> TraceEncoder {
        trace.note(key.stringValue)
        return TraceEncoder(trace: trace)
    }

    func encodeNil(forKey key: Key) { encoder(key).encodeNil() }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try encoder(key).encode(value) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { encoder(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { encoder(key).unkeyedContainer() }
    func superEncoder() -> any Encoder { TraceEncoder(trace: trace) }
    func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }
}

private struct TraceArray: UnkeyedEncodingContainer {
    let trace: FloatingPointTrace
    private(set) var count = 0

    init(trace: FloatingPointTrace) { self.trace = trace }

    var codingPath: [any CodingKey] { [] }

    private mutating func encoder() -> TraceEncoder {
        count += 1
        return TraceEncoder(trace: trace)
    }

    mutating func encodeNil() { encoder().encodeNil() }
    mutating func encode<Value: Encodable>(_ value: Value) throws { try encoder().encode(value) }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        encoder().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }
    mutating func superEncoder() -> any Encoder { encoder() }
}
