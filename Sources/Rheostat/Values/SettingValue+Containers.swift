/// Any optional, whatever it wraps.
private protocol AnyOptional {}
extension Optional: AnyOptional {}

extension Optional: SettingValue where Wrapped: SettingValue {
    /// `null` is `nil`.
    ///
    /// Of nested optionals the innermost takes the `null`: a key of type `Int??` with the default `nil` tells absent
    /// (`nil`), `null` (`.some(nil)`) and a value apart.
    public static func read(from reader: SettingReader) throws -> Wrapped? {
        if reader.isNull { return Wrapped.self is any AnyOptional.Type ? try Wrapped.read(from: reader) : nil }
        return try Wrapped.read(from: reader)
    }

    /// `nil` is `null`: a present nil, which is not the same as an absent member.
    ///
    /// The outer `nil` of nested optionals is refused, since it would read back as the inner one: it stands for an
    /// absent member, and the key is to be reset instead.
    public func write(to writer: inout SettingWriter) throws {
        switch self {
        case .some(let value): try value.write(to: &writer)
        case .none:
            if Wrapped.self is any AnyOptional.Type {
                throw SettingValueError(
                    expected: "a value or the inner nil of \(Self.self) (reset the key to make it absent)",
                    found: "the outer nil")
            }
            writer.null()
        }
    }

    /// Both `nil`, or both a value and those the same.
    public func isSame(as other: Wrapped?) -> Bool {
        switch (self, other) {
        case (.some(let one), .some(let other)): one.isSame(as: other)
        case (.none, .none): true
        default: false
        }
    }
}

extension Array: SettingValue where Element: SettingValue {
    /// A JSON array. One element that does not fit makes the whole value invalid: nothing is dropped.
    public static func read(from reader: SettingReader) throws -> [Element] {
        var result: [Element] = []
        let elements = try reader.elements()
        result.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            result.append(try element.read(Element.self, inside: "[\(index)]"))
        }
        return result
    }

    /// A JSON array.
    public func write(to writer: inout SettingWriter) throws {
        try writer.array { writer in
            for (index, element) in enumerated() { try writer.write(element, inside: "[\(index)]") }
        }
    }

    /// As many elements, each the same.
    public func isSame(as other: [Element]) -> Bool {
        count == other.count && zip(self, other).allSatisfy { $0.isSame(as: $1) }
    }
}

extension Dictionary: SettingValue where Key: SettingName, Value: SettingValue {
    /// A JSON object. A name or a value that does not fit makes the whole value invalid.
    public static func read(from reader: SettingReader) throws -> [Key: Value] {
        var result: [Key: Value] = [:]
        for (name, member) in try reader.members() {
            guard let key = Key(settingName: name) else {
                throw member.refusal("a member name that is \(Key.self)").inside("." + name)
            }
            guard result.index(forKey: key) == nil else {
                throw member.refusal("a member name that stands for no other's key").inside("." + name)
            }
            result[key] = .some(try member.read(Value.self, inside: "." + name))
        }
        return result
    }

    /// A JSON object, its members ordered by name, so that equal values give equal text.
    public func write(to writer: inout SettingWriter) throws {
        try writer.object { writer in
            for (name, value) in map({ ($0.key.settingName, $0.value) }).sorted(by: { $0.0 < $1.0 }) {
                writer.name(name)
                try writer.write(value, inside: "." + name)
            }
        }
    }

    /// The same keys, each with the same value.
    public func isSame(as other: [Key: Value]) -> Bool {
        count == other.count && allSatisfy { key, value in other[key].map { $0.isSame(as: value) } ?? false }
    }
}
