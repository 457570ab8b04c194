/// A type whose values can be settings.
///
/// Bool, every integer width, Float, Double, String, `Date`, `Data`, `URL`, `UUID`, `Duration`, optionals, arrays, sets,
/// and dictionaries keyed by a ``SettingName`` conform. A type of your own that is `Codable`, `Equatable` and `Sendable`
/// needs an empty conformance; so does an enumeration or `OptionSet` with a raw value, which is stored as that raw value
/// even if it is `Codable` too:
///
/// ```swift
/// enum LogLevel: String, SettingValue { case debug, info, warning, error }
/// struct Limits: Codable, SettingValue { var connections = 100; var burst: Int? }
/// ```
///
/// Inside a `Codable` value each part that is a `SettingValue` has the same form as a setting of its own: a `Date` is
/// the same text in a structure as by itself. A type keeps its stored form for ever; only a type that is *not* a
/// `SettingValue` is stored there as its `encode(to:)` says.
///
/// ## A structure that gains a property
///
/// The decoding that Swift synthesizes wants a member for each property that is not optional, whatever its initial
/// value. A property that comes with a new release must not make the values of older files invalid: make it optional,
/// or decode it with `decodeIfPresent` and the value that old files stand for:
///
/// ```swift
/// extension Limits {
///     init(from decoder: any Decoder) throws {
///         let members = try decoder.container(keyedBy: CodingKeys.self)
///         connections = try members.decodeIfPresent(Int.self, forKey: .connections) ?? 100
///         burst = try members.decodeIfPresent(Int.self, forKey: .burst)
///     }
/// }
/// ```
///
/// Members of the file that the type does not know are ignored; a write of the whole value removes them.
///
/// The conversions must be pure. They run on any thread, never under a lock of the store, and may run more than once
/// for one change.
public protocol SettingValue: Equatable, Sendable {
    /// Reads a value from the file's text.
    ///
    /// Throws ``SettingValueError`` (the reader makes it, with the place) for a value of another type or one that this
    /// type cannot hold exactly. Nothing is guessed: `"1"` is no integer, `1.5` neither, `8080.0` is one.
    static func read(from reader: SettingReader) throws -> Self

    /// Writes this value as JSON.
    ///
    /// Throws ``SettingValueError`` for a value that JSON cannot hold, such as a floating point number that is not
    /// finite.
    func write(to writer: inout SettingWriter) throws

    /// Whether a change from `other` to this value is no change.
    ///
    /// This is `==`, but floating point values are compared by their bits at any depth: a NaN is the same as itself, and
    /// -0.0 differs from 0.0.
    func isSame(as other: Self) -> Bool
}

extension SettingValue {
    /// `==`.
    public func isSame(as other: Self) -> Bool { self == other }
}

extension SettingValue where Self: Codable {
    /// Decodes the value by its own `init(from:)`, straight from the file's text.
    public static func read(from reader: SettingReader) throws -> Self { try reader.decode(Self.self) }

    /// Encodes the value by its own `encode(to:)`, straight to text.
    public func write(to writer: inout SettingWriter) throws { try writer.encode(self) }

    /// `==`, with the floating point numbers that the two encode compared by their bits.
    ///
    /// Costs an encoding of each value without text. A type without such numbers, or with a quicker comparison, can have
    /// its own.
    public func isSame(as other: Self) -> Bool { isSameByBits(as: other) }
}

extension SettingValue where Self: RawRepresentable, RawValue: SettingValue {
    /// Reads the raw value; a raw value without a case is an error that names it.
    public static func read(from reader: SettingReader) throws -> Self { try reader.rawRepresentable() }

    /// Writes the raw value.
    public func write(to writer: inout SettingWriter) throws { try rawValue.write(to: &writer) }

    /// `==`, except where the raw values differ in the bits of floating point numbers.
    public func isSame(as other: Self) -> Bool { isSameByRawValue(as: other) }
}

extension SettingValue where Self: RawRepresentable & Codable, RawValue: SettingValue {
    /// Reads the raw value, which is the stored form also of a type that is `Codable` besides.
    public static func read(from reader: SettingReader) throws -> Self { try reader.rawRepresentable() }

    /// Writes the raw value, which is the stored form also of a type that is `Codable` besides.
    public func write(to writer: inout SettingWriter) throws { try rawValue.write(to: &writer) }

    /// `==`, except where the raw values differ in the bits of floating point numbers.
    public func isSame(as other: Self) -> Bool { isSameByRawValue(as: other) }
}

extension RawRepresentable where Self: Equatable, RawValue: SettingValue {
    /// `==`, unless the raw values are equal but not the same or the same but not equal: then the bits of floating point
    /// numbers decide.
    func isSameByRawValue(as other: Self) -> Bool {
        let isSame = rawValue.isSame(as: other.rawValue)
        return isSame == (rawValue == other.rawValue) ? self == other : isSame
    }
}
