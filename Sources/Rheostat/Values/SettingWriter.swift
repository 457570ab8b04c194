import LosslessJSON

/// Where ``SettingValue/write(to:)`` puts a value as JSON.
///
/// Exactly one value must be written: a scalar, or an array or object with all that belongs to it.
public struct SettingWriter: Sendable {
    var json = JSONWriter()

    init() {}

    /// Writes `null`.
    public mutating func null() { json.null() }

    /// Writes `true` or `false`.
    public mutating func bool(_ value: Bool) { json.bool(value) }

    /// Writes an integer.
    public mutating func integer(_ value: some FixedWidthInteger) { json.integer(value) }

    /// Writes the shortest number that reads back as `value`; throws ``SettingValueError`` when it is not finite.
    public mutating func double(_ value: Double) throws(SettingValueError) {
        do throws(JSONWriteError) { try json.double(value) } catch { throw .notFinite }
    }

    /// Writes the shortest number that reads back as `value`; throws ``SettingValueError`` when it is not finite.
    public mutating func float(_ value: Float) throws(SettingValueError) {
        do throws(JSONWriteError) { try json.float(value) } catch { throw .notFinite }
    }

    /// Writes a string.
    public mutating func string(_ value: String) { json.string(value) }

    /// Writes an array whose elements `body` writes.
    public mutating func array(_ body: (inout SettingWriter) throws -> Void) rethrows {
        json.beginArray()
        try body(&self)
        json.endArray()
    }

    /// Writes an object whose members `body` writes, each by ``name(_:)`` and one value.
    public mutating func object(_ body: (inout SettingWriter) throws -> Void) rethrows {
        json.beginObject()
        try body(&self)
        json.endObject()
    }

    /// Writes a member's name; its value comes next.
    public mutating func name(_ name: String) { json.name(name) }

    /// Writes an `Encodable` value by its own `encode(to:)`.
    ///
    /// Whatever is a ``SettingValue`` inside it, at any depth, is written by its ``SettingValue/write(to:)``.
    public mutating func encode<Value: Encodable>(_ value: Value) throws {
        let hooks = SettingCodingHooks(root: nil)
        do {
            if SettingCodingHooks.isReplaced(Value.self), try hooks.encode(value, to: &json) { return }
            try JSONTextEncoder.write(value, to: &json, hooks: hooks)
        } catch is JSONWriteError {
            throw SettingValueError.notFinite
        } catch let error as SettingValueError {
            throw error
        } catch {
            throw SettingValueError(expected: "a value that \(Value.self) can encode", found: "\(error)")
        }
    }

    /// Writes a value that is part of another one, at `part` of it, which an error then names.
    mutating func write(_ value: some SettingValue, inside part: @autoclosure () -> String) throws {
        do {
            try value.write(to: &self)
        } catch let error as SettingValueError {
            throw error.inside(part())
        }
    }

    /// Lets `body` go on where `json` is.
    static func withWriter(over json: inout JSONWriter, _ body: (inout SettingWriter) throws -> Void) rethrows {
        var writer = SettingWriter()
        swap(&writer.json, &json)
        defer { swap(&writer.json, &json) }
        try body(&writer)
    }
}

extension SettingValue {
    /// This value as JSON text.
    func jsonText() throws -> [UInt8] {
        var writer = SettingWriter()
        try write(to: &writer)
        return writer.json.bytes
    }
}
