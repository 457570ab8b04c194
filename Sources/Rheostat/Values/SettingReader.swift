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
    ///
    /// Names are told apart by their bytes, as in JSON: two that Swift's strings take for equal, such as a composed and
    /// a decomposed "é", are two members.
    public func members() throws -> [(name: String, value: SettingReader)] {
        guard node.kind == .object else { throw SettingValueError(expected: "an object", at: node) }
        var result: [(name: String, value: SettingReader)] = []
        var places: [String: Int] = [:]
        do throws(JSONValueError) {
            for member in node.members {
                let name = try member.nameNode.string()
                if let place = places.updateValue(result.count, forKey: name),
                    result[place].name.utf8.elementsEqual(name.utf8)
                {
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
    ///
    /// Whatever is a ``SettingValue`` inside it, at any depth, is read by its ``SettingValue/read(from:)``.
    public func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let hooks = SettingCodingHooks(root: node)
        do {
            if SettingCodingHooks.isReplaced(type), let value = try hooks.decode(type, from: node) { return value }
            return try node.decode(type, hooks: hooks)
        } catch let error as JSONValueError {
            throw SettingValueError(error, below: node)
        } catch let error as SettingValueError {
            throw error
        } catch {
            throw SettingValueError(expected: "a value that \(type) can decode", at: node, because: error)
        }
    }

    /// A value that is part of another one, at `part` of it, which an error then names.
    func read<Value: SettingValue>(
        _ type: Value.Type, inside part: @autoclosure () -> String
    ) throws(SettingValueError) -> Value {
        do {
            return try Value.read(from: self)
        } catch let error as SettingValueError {
            throw error.inside(part())
        } catch {
            throw SettingValueError(expected: "a value that \(type) can read", at: node, because: error).inside(part())
        }
    }

    /// A string, for a type that is written as one; `expected` says what kind of text that would be.
    func text(_ expected: String) throws -> String {
        guard node.kind == .string else { throw refusal(expected) }
        return try string()
    }

    /// A value that its raw value stands for.
    func rawRepresentable<Value: RawRepresentable>() throws -> Value where Value.RawValue: SettingValue {
        let rawValue = try Value.RawValue.read(from: self)
        guard let value = Value(rawValue: rawValue) else {
            throw refusal("a raw value of \(Value.self)\(Self.choices(of: Value.self))")
        }
        return value
    }

    /// The raw values of a type that lists its cases, in brackets; empty for other types and for long lists.
    private static func choices<Value: RawRepresentable>(of type: Value.Type) -> String
    where Value.RawValue: SettingValue {
        guard let cases = (type as? any CaseIterable.Type)?.allCases as? [Value], 1...16 ~= cases.count else {
            return ""
        }
        let texts = cases.compactMap { try? String(decoding: $0.rawValue.jsonText(), as: UTF8.self) }
        return " (" + texts.joined(separator: ", ") + ")"
    }

    /// The error to throw for a value that is well-formed but not acceptable, with its place.
    ///
    /// - Parameter expected: what would be, to follow the word "expected".
    public func refusal(_ expected: String) -> SettingValueError { SettingValueError(expected: expected, at: node) }
}
