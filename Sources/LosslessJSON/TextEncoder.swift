/// Encodes `Codable` values as JSON text.
package enum JSONTextEncoder {
    /// The text of a value on one line, members in the order in which the type encodes them.
    ///
    /// Throws `JSONWriteError` for what JSON cannot hold, and what the type and the hooks throw. A value that encodes
    /// nothing is an empty object.
    package static func encode<T: Encodable>(_ value: T, hooks: (any JSONCodingHooks)? = nil) throws -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: 256)
        try write(value, to: &writer, hooks: hooks)
        return writer.bytes
    }

    /// Writes a value as the next one of `writer`; if this throws, `writer` holds half a value.
    package static func write<T: Encodable>(
        _ value: T, to writer: inout JSONWriter, hooks: (any JSONCodingHooks)? = nil
    ) throws {
        let output = TextOutput(writer: writer, hooks: hooks)
        writer = JSONWriter()
        try output.writeUnhooked(value)
        output.fillGaps()
        writer = output.writer
    }
}

/// Where encoded values go. A container made by a value's `encode(to:)` writes here at once, since it is finished
/// before its neighbour begins. Containers asked for by `nestedContainer` and `superEncoder` may be filled in any
/// order: each has an output of its own, put into its gap when the container around it ends.
final class TextOutput {
    // Sound: a container's write is finished before it returns, and a hook reaches the writer only through the argument
    // it is given; so no two accesses overlap. The dynamic check costs a fifth of the encoding.
    @exclusivity(unchecked) var writer: JSONWriter
    let hooks: (any JSONCodingHooks)?
    /// Encoders whose text belongs at an offset of this output, in text order.
    private var gaps: [(offset: Int, encoder: TextEncoder)] = []

    init(writer: JSONWriter, hooks: (any JSONCodingHooks)?) {
        self.writer = writer
        self.hooks = hooks
    }

    /// Writes a value, the hooks first.
    func write<T: Encodable>(_ value: T) throws {
        if let hooks {
            // The hook gets the writer itself: exclusive, since no container writes meanwhile.
            if try hooks.encode(value, to: &writer) { return }
        }
        try writeUnhooked(value)
    }

    func writeUnhooked<T: Encodable>(_ value: T) throws {
        // Sound: each cast is between a type and itself; a dynamic cast costs more than the writing.
        let type = T.self
        if type == Int.self { return writer.integer(unsafeBitCast(value, to: Int.self)) }
        if type == String.self { return writer.string(unsafeBitCast(value, to: String.self)) }
        if type == Double.self { return try writer.double(unsafeBitCast(value, to: Double.self)) }
        if type == Bool.self { return writer.bool(unsafeBitCast(value, to: Bool.self)) }
        let encoder = TextEncoder(output: self)
        try value.encode(to: encoder)
        encoder.finish()
    }

    /// An encoder for a part that may be filled later; leaves a gap for its text.
    func later() -> TextEncoder {
        let part = TextEncoder(output: TextOutput(writer: JSONWriter(), hooks: hooks))
        writer.raw(EmptyCollection())
        gaps.append((writer.output.count, part))
        return part
    }

    /// Fills the gaps. To be called when nothing more is written to this output.
    func fillGaps() {
        if gaps.isEmpty { return }
        var text: [UInt8] = []
        var copied = 0
        for (offset, encoder) in gaps {
            text += writer.output[copied..<offset]
            copied = offset
            encoder.finish()
            encoder.output.fillGaps()
            text += encoder.output.writer.output
        }
        text += writer.output[copied...]
        gaps = []
        writer.replaceOutput(with: text)
    }
}

/// One value being encoded: nothing yet, or the container it has begun.
final class TextEncoder: Encoder {
    enum Form { case nothing, scalar, object, array }

    let output: TextOutput
    var form = Form.nothing
    var count = 0

    init(output: TextOutput) { self.output = output }

    /// Not kept: it would cost an array for each value, and no error of the writer needs it.
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        begin(.object)
        return KeyedEncodingContainer(TextObject<Key>(output: output))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        begin(.array)
        return TextArray(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { TextValue(encoder: self) }

    /// A type that asks again (a subclass and its superclass) continues the container it has begun.
    private func begin(_ wanted: Form) {
        if form == wanted { return }
        precondition(form == .nothing, "a value encodes itself as two different containers")
        form = wanted
        if wanted == .object { output.writer.beginObject() } else { output.writer.beginArray() }
    }

    /// Ends what has been begun.
    func finish() {
        switch form {
        case .nothing:
            output.writer.beginObject()
            output.writer.endObject()
        case .object: output.writer.endObject()
        case .array: output.writer.endArray()
        case .scalar: break
        }
        form = .scalar
    }

}

struct TextValue: SingleValueEncodingContainer {
    let encoder: TextEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    private func begin() {
        precondition(encoder.form == .nothing, "a value encodes itself twice")
        encoder.form = .scalar
    }

    mutating func encodeNil() throws {
        begin()
        encoder.output.writer.null()
    }

    mutating func encode(_ value: Bool) throws {
        begin()
        encoder.output.writer.bool(value)
    }

    mutating func encode(_ value: String) throws {
        begin()
        encoder.output.writer.string(value)
    }

    mutating func encode(_ value: Double) throws {
        begin()
        try encoder.output.writer.double(value)
    }

    mutating func encode(_ value: Float) throws {
        begin()
        try encoder.output.writer.float(value)
    }

    mutating func encode(_ value: Int) throws {
        begin()
        encoder.output.writer.integer(value)
    }

    mutating func encode(_ value: Int8) throws {
        begin()
        encoder.output.writer.integer(value)
    }

    mutating func encode(_ value: Int16) throws {
        begin()
        encoder.output.writer.integer(value)
    }

    mutating func encode(_ value: Int32) throws {
        begin()
        encoder.output.writer.integer(value)
    }

    mutating func encode(_ value: Int64) throws {
        begin()
        encoder.output.writer.integer(value)
    }

    mutating func encode(_ value: UInt) throws {
        begin()
        encoder.output.writer.integer(value)
    }

    mutating func encode(_ value: UInt8) throws {
        begin()
        encoder.output.writer.integer(value)
    }

    mutating func encode(_ value: UInt16) throws {
        begin()
        encoder.output.writer.integer(value)
    }

    mutating func encode(_ value: UInt32) throws {
        begin()
        encoder.output.writer.integer(value)
    }

    mutating func encode(_ value: UInt64) throws {
        begin()
        encoder.output.writer.integer(value)
    }

    mutating func encode(_ value: Int128) throws {
        begin()
        encoder.output.writer.integer(value)
    }

    mutating func encode(_ value: UInt128) throws {
        begin()
        encoder.output.writer.integer(value)
    }

    mutating func encode<T: Encodable>(_ value: T) throws {
        begin()
        try encoder.output.write(value)
    }
}

struct TextObject<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let output: TextOutput
    var codingPath: [any CodingKey] { [] }

    @inline(__always)
    private func name(_ key: Key) { output.writer.name(key.stringValue) }

    mutating func encodeNil(forKey key: Key) throws {
        name(key)
        output.writer.null()
    }

    mutating func encode(_ value: Bool, forKey key: Key) throws {
        name(key)
        output.writer.bool(value)
    }

    mutating func encode(_ value: String, forKey key: Key) throws {
        name(key)
        output.writer.string(value)
    }

    mutating func encode(_ value: Double, forKey key: Key) throws {
        name(key)
        try output.writer.double(value)
    }

    mutating func encode(_ value: Float, forKey key: Key) throws {
        name(key)
        try output.writer.float(value)
    }

    mutating func encode(_ value: Int, forKey key: Key) throws {
        name(key)
        output.writer.integer(value)
    }

    mutating func encode(_ value: Int8, forKey key: Key) throws {
        name(key)
        output.writer.integer(value)
    }

    mutating func encode(_ value: Int16, forKey key: Key) throws {
        name(key)
        output.writer.integer(value)
    }

    mutating func encode(_ value: Int32, forKey key: Key) throws {
        name(key)
        output.writer.integer(value)
    }

    mutating func encode(_ value: Int64, forKey key: Key) throws {
        name(key)
        output.writer.integer(value)
    }

    mutating func encode(_ value: UInt, forKey key: Key) throws {
        name(key)
        output.writer.integer(value)
    }

    mutating func encode(_ value: UInt8, forKey key: Key) throws {
        name(key)
        output.writer.integer(value)
    }

    mutating func encode(_ value: UInt16, forKey key: Key) throws {
        name(key)
        output.writer.integer(value)
    }

    mutating func encode(_ value: UInt32, forKey key: Key) throws {
        name(key)
        output.writer.integer(value)
    }

    mutating func encode(_ value: UInt64, forKey key: Key) throws {
        name(key)
        output.writer.integer(value)
    }

    mutating func encode(_ value: Int128, forKey key: Key) throws {
        name(key)
        output.writer.integer(value)
    }

    mutating func encode(_ value: UInt128, forKey key: Key) throws {
        name(key)
        output.writer.integer(value)
    }

    mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        name(key)
        try output.write(value)
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        name(key)
        return output.later().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        name(key)
        return output.later().unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder {
        output.writer.name("super")
        return output.later()
    }

    mutating func superEncoder(forKey key: Key) -> any Encoder {
        name(key)
        return output.later()
    }
}

struct TextArray: UnkeyedEncodingContainer {
    let encoder: TextEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.count }

    mutating func encodeNil() throws {
        encoder.count += 1
        encoder.output.writer.null()
    }

    mutating func encode<T: Encodable>(_ value: T) throws {
        encoder.count += 1
        try encoder.output.write(value)
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        encoder.count += 1
        return encoder.output.later().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        encoder.count += 1
        return encoder.output.later().unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder {
        encoder.count += 1
        return encoder.output.later()
    }
}
