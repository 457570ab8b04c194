/// A type whose values can be settings.
///
/// Bool, every integer width, Float, Double, String, optionals, arrays, dictionaries keyed by names, and enumerations
/// with a raw value conform without ceremony. A type of your own that is `Codable`, `Equatable` and `Sendable` needs an
/// empty conformance; so does an enumeration with a raw value, which is stored as that raw value even if it is
/// `Codable` too:
///
/// ```swift
/// enum LogLevel: String, SettingValue { case debug, info, warning, error }
/// struct Limits: Codable, SettingValue { var connections = 100; var burst: Int? }
/// ```
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
}

extension SettingValue where Self: RawRepresentable, RawValue: SettingValue {
    /// Reads the raw value; a raw value without a case is an error that names it.
    public static func read(from reader: SettingReader) throws -> Self { try reader.rawRepresentable() }

    /// Writes the raw value.
    public func write(to writer: inout SettingWriter) throws { try rawValue.write(to: &writer) }
}

extension SettingValue where Self: RawRepresentable & Codable, RawValue: SettingValue {
    /// Reads the raw value, which is the stored form also of a type that is `Codable` besides.
    public static func read(from reader: SettingReader) throws -> Self { try reader.rawRepresentable() }

    /// Writes the raw value, which is the stored form also of a type that is `Codable` besides.
    public func write(to writer: inout SettingWriter) throws { try rawValue.write(to: &writer) }
}
