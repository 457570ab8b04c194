import LosslessJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Gives settings their own form wherever they stand inside a `Codable` value: a `Date` in a structure is the same text
/// as a `Date` of its own, a raw-valued enumeration its raw value, and so on.
struct SettingCodingHooks: JSONCodingHooks {
    /// The value that is being decoded, from which subpaths count; `nil` for encoding.
    let root: JSONNode?

    func decode<Value: Decodable>(_ type: Value.Type, from node: JSONNode) throws -> Value? {
        guard !Self.isPlain(type), let setting = type as? any SettingValue.Type else { return nil }
        let reader = SettingReader(node)
        return try reader.read(setting, inside: root.map(node.subpath(below:)) ?? "") as? Value
    }

    func encode<Value: Encodable>(_ value: Value, to writer: inout JSONWriter) throws -> Bool {
        guard !Self.isPlain(Value.self), let setting = value as? any SettingValue else { return false }
        try SettingWriter.withWriter(over: &writer) { writer in try setting.write(to: &writer) }
        return true
    }

    /// Whether the JSON engine's own form of a type is the settings' form: then the look-up of its conformance, which
    /// is slow beside reading a number, is spared.
    @inline(__always)
    private static func isPlain<Value>(_ type: Value.Type) -> Bool {
        type == String.self || type == Int.self || type == Bool.self || type == Double.self || type == Float.self
    }

    /// Whether a type's own `Codable` form is not the form that it has in settings, though it is asked for by itself.
    static func isReplaced<Value>(_ type: Value.Type) -> Bool {
        type == Date.self || type == Data.self || type == URL.self || type == UUID.self || type == Duration.self
    }
}

extension JSONNode {
    /// Where this value is inside `root`: `.name` and `[index]` for each step.
    func subpath(below root: JSONNode) -> String {
        path.steps.dropFirst(root.path.count).reduce(into: "") { text, step in
            switch step {
            case .name(let name): text += "." + name
            case .index(let index): text += "[\(index)]"
            }
        }
    }
}
