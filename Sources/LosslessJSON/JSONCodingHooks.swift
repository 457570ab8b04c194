/// Takes over the coding of particular types inside `Codable` values, wherever they stand.
///
/// The hooks see every value that a type's own `init(from:)` or `encode(to:)` hands to a container; the value passed to
/// `decode(_:hooks:)` or `encode(_:hooks:)` itself is not offered, so that a hook can call back without end.
package protocol JSONCodingHooks: Sendable {
    /// Decodes the value, or returns nil if the type is not this hook's.
    func decode<T: Decodable>(_ type: T.Type, from node: JSONNode) throws -> T?
    /// Writes exactly one value and returns true, or writes nothing and returns false.
    func encode<T: Encodable>(_ value: T, to writer: inout JSONWriter) throws -> Bool
}
