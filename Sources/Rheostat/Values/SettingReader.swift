import LosslessJSON

/// A value in a file's text, to be read as one type.
///
/// A reader is given to ``SettingValue/read(from:)``. Its methods convert exactly or throw ``SettingValueError`` with the
/// place in the text, what stands there and what was expected.
public struct SettingReader: Sendable {
    let node: JSONNode

    init(_ node: JSONNode) { self.node = node }

    /// Whether the value is `null`.
    public var isNull: Bool { node.isNull }

    /// The value's own text, with all its spelling.
    public var text: String { node.text }

    /// `true` or `false`; nothing else is taken for one.
    public func bool() throws -> Bool {
        do throws(JSONValueError) { return try node.bool() } catch { throw SettingValueError(error) }
    }

    /// An integer that `type` holds exactly. `8080.0` and `1e3` are integers, `1.5` is none.
    public func integer<Integer: FixedWidthInteger>(_ type: Integer.Type = Integer.self) throws -> Integer {
        do throws(JSONValueError) { return try node.integer(as: type) } catch { throw SettingValueError(error) }
    }

    /// A number as the nearest `Double`; refused when that would be infinite or change an integer's value.
    public func double() throws -> Double {
        do throws(JSONValueError) { return try node.double() } catch { throw SettingValueError(error) }
    }

    /// A number as the nearest `Float`; refused when that would be infinite or change an integer's value.
    public func float() throws -> Float {
        do throws(JSONValueError) { return try node.float() } catch { throw SettingValueError(error) }
    }

    /// A string with its escapes taken out; refused when it holds half of a surrogate pair.
    public func string() throws -> String {
        do throws(JSONValueError) { return try node.string() } catch { throw SettingValueError(error) }
    }

    /// The elements of an array, in order.
    public func elements() throws -> [SettingReader] {
        guard node.kind == .array else { throw SettingValueError(expected: "an array", at: node) }
        return node.elements.map(SettingReader.init)
    }

    /// The members of an object in the order of the text. Of a name that stands there twice, the last one counts.
    public func members() throws -> [(name: String, value: SettingReader)] {
        guard node.kind == .object else { throw SettingValueError(expected: "an object", at: node) }
        var result: [(name: String, value: SettingReader)] = []
        var places: [String: Int] = [:]
        do throws(JSONValueError) {
            for member in node.members {
                let name = try member.nameNode.string()
                if let place = places.updateValue(result.count, forKey: name) {
                    places[name] = place
                    result[place].value = SettingReader(member.value)
                } else {
                    result.append((name, SettingReader(member.value)))
                }
            }
        } catch {
            throw SettingValueError(error)
        }
        return result
    }

    /// A `Decodable` value by its own `init(from:)`.
    public func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        do {
            return try node.decode(type)
        } catch let error as JSONValueError {
            throw SettingValueError(error)
        } catch let error as SettingValueError {
            throw error
        } catch {
            throw SettingValueError(expected: "a value that \(type) can decode: \(error)", at: node)
        }
    }

    /// A value that its raw value stands for.
    func rawRepresentable<Value: RawRepresentable>() throws -> Value where Value.RawValue: SettingValue {
        let rawValue = try Value.RawValue.read(from: self)
        guard let value = Value(rawValue: rawValue) else { throw refusal("a raw value of \(Value.self)") }
        return value
    }

    /// The error to throw for a value that is well-formed but not acceptable, with its place.
    ///
    /// - Parameter expected: what would be, to follow the word "expected".
    public func refusal(_ expected: String) -> SettingValueError { SettingValueError(expected: expected, at: node) }
}
