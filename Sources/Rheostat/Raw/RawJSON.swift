import LosslessJSON

/// A JSON value as it is spelled, for settings whose type the program does not know.
///
/// Two are equal when they are the same value: numbers by their exact decimal value, strings with escapes taken out,
/// objects whatever the order of their members.
public struct RawJSON: SettingValue, CustomStringConvertible {
    /// What sort of value it is.
    public enum Kind: Sendable { case null, bool, number, string, array, object }

    let node: JSONNode

    init(_ node: JSONNode) { self.node = node }

    /// Takes `text`, which must be one value in strict JSON (RFC 8259).
    ///
    /// Throws ``SettingsError/invalidValue`` with line and column for anything else.
    public init(_ text: String) throws {
        let document: JSONDocument
        do throws(JSONSyntaxError) {
            document = try JSONDocument(text: text, options: .strict)
        } catch {
            throw SettingsError(
                .invalidValue, "no JSON value: \(error)", line: error.place.line, column: error.place.column)
        }
        guard let root = document.root else { throw SettingsError(.invalidValue, "no JSON value") }
        node = root
    }

    /// The JSON string that holds `string`.
    public init(string: String) throws {
        var writer = JSONWriter()
        writer.string(string)
        try self.init(String(decoding: writer.bytes, as: UTF8.self))
    }

    /// What sort of value it is.
    public var kind: Kind {
        switch node.kind {
        case .null: .null
        case .true, .false: .bool
        case .number: .number
        case .string: .string
        case .array: .array
        case .object: .object
        }
    }

    /// The value as it is spelled, comments inside included.
    public var text: String { node.text }

    /// The value on one line in strict JSON: as it is spelled, without comments, trailing commas and line breaks.
    public var compactText: String {
        var writer = JSONWriter()
        writer.value(node)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The string with its escapes taken out, if the value is one that Unicode can hold.
    public var string: String? {
        do throws(JSONValueError) { return try node.string() } catch { return nil }
    }

    /// The value as a setting's type. Throws ``SettingValueError``.
    public func decode<Value: SettingValue>(as type: Value.Type = Value.self) throws -> Value {
        try Value.read(from: SettingReader(node))
    }

    /// The same as ``text``.
    public var description: String { text }

    /// Whether both are the same JSON value.
    public static func == (one: RawJSON, other: RawJSON) -> Bool { one.node.isEquivalent(to: other.node) }

    /// Takes any value.
    public static func read(from reader: SettingReader) throws -> RawJSON { RawJSON(reader.node) }

    /// Writes the value as strict JSON on one line.
    public func write(to writer: inout SettingWriter) throws { writer.json.value(node) }
}
