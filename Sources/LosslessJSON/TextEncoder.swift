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
    var writer: JSONWriter
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
        if let scalar = value as? any TextScalar { return try scalar.write(to: &writer) }
        let encoder = TextEncoder(output: self)
        try value.encode(to: encoder)
        encoder.finish()
    }

    /// Leaves a gap that `encoder` fills later.
    func leaveGap(for encoder: TextEncoder) {
        writer.raw(CollectionOfOne(0x30).dropFirst())
        gaps.append((writer.output.count, encoder))
    }

    var hasGaps: Bool { !gaps.isEmpty }

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
    private let path: [any CodingKey]

    init(output: TextOutput, path: [any CodingKey] = []) {
        self.output = output
        self.path = path
    }

    var codingPath: [any CodingKey] { path }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        begin(.object)
        return KeyedEncodingContainer(TextObject<Key>(encoder: self))
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

    /// An encoder for a part that may be filled later.
    func later() -> TextEncoder {
        let part = TextEncoder(output: TextOutput(writer: JSONWriter(), hooks: output.hooks))
        output.leaveGap(for: part)
        return part
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

    mutating func encode<T: Encodable>(_ value: T) throws {
        begin()
        try encoder.output.write(value)
    }
}

struct TextObject<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: TextEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    private func name(_ key: Key) { encoder.output.writer.name(key.stringValue) }

    mutating func encodeNil(forKey key: Key) throws {
        name(key)
        encoder.output.writer.null()
    }

    mutating func encode(_ value: Bool, forKey key: Key) throws {
        name(key)
        encoder.output.writer.bool(value)
    }

    mutating func encode(_ value: String, forKey key: Key) throws {
        name(key)
        encoder.output.writer.string(value)
    }

    mutating func encode(_ value: Int, forKey key: Key) throws {
        name(key)
        encoder.output.writer.integer(value)
    }

    mutating func encode(_ value: Double, forKey key: Key) throws {
        name(key)
        try encoder.output.writer.double(value)
    }

    mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        name(key)
        try encoder.output.write(value)
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        name(key)
        return encoder.later().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        name(key)
        return encoder.later().unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder {
        encoder.output.writer.name("super")
        return encoder.later()
    }

    mutating func superEncoder(forKey key: Key) -> any Encoder {
        name(key)
        return encoder.later()
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
        return encoder.later().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        encoder.count += 1
        return encoder.later().unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder {
        encoder.count += 1
        return encoder.later()
    }
}

/// A type that is written without a container.
protocol TextScalar {
    func write(to writer: inout JSONWriter) throws
}

extension TextScalar where Self: FixedWidthInteger {
    func write(to writer: inout JSONWriter) { writer.integer(self) }
}

extension Int: TextScalar {}
extension Int8: TextScalar {}
extension Int16: TextScalar {}
extension Int32: TextScalar {}
extension Int64: TextScalar {}
extension UInt: TextScalar {}
extension UInt8: TextScalar {}
extension UInt16: TextScalar {}
extension UInt32: TextScalar {}
extension UInt64: TextScalar {}
extension Int128: TextScalar {}
extension UInt128: TextScalar {}
extension Bool: TextScalar { func write(to writer: inout JSONWriter) { writer.bool(self) } }
extension String: TextScalar { func write(to writer: inout JSONWriter) { writer.string(self) } }
extension Double: TextScalar { func write(to writer: inout JSONWriter) throws { try writer.double(self) } }
extension Float: TextScalar { func write(to writer: inout JSONWriter) throws { try writer.float(self) } }
