extension Bool: SettingValue {
    /// `true` or `false`.
    public static func read(from reader: SettingReader) throws -> Bool { try reader.bool() }

    /// `true` or `false`.
    public func write(to writer: inout SettingWriter) throws { writer.bool(self) }

    /// `==`.
    public func isSame(as other: Bool) -> Bool { self == other }
}

extension String: SettingValue {
    /// A JSON string.
    public static func read(from reader: SettingReader) throws -> String { try reader.string() }

    /// A JSON string.
    public func write(to writer: inout SettingWriter) throws { writer.string(self) }

    /// `==`.
    public func isSame(as other: String) -> Bool { self == other }
}

extension Double: SettingValue {
    /// A JSON number; see ``SettingReader/double()``.
    public static func read(from reader: SettingReader) throws -> Double { try reader.double() }

    /// The shortest number that reads back equal; NaN and infinities are refused.
    public func write(to writer: inout SettingWriter) throws { try writer.double(self) }

    /// Equality of the bits.
    public func isSame(as other: Double) -> Bool { bitPattern == other.bitPattern }
}

extension Float: SettingValue {
    /// A JSON number; see ``SettingReader/float()``.
    public static func read(from reader: SettingReader) throws -> Float { try reader.float() }

    /// The shortest number that reads back equal; NaN and infinities are refused.
    public func write(to writer: inout SettingWriter) throws { try writer.float(self) }

    /// Equality of the bits.
    public func isSame(as other: Float) -> Bool { bitPattern == other.bitPattern }
}

extension SettingValue where Self: FixedWidthInteger {
    /// A JSON number without fraction that this width holds.
    public static func read(from reader: SettingReader) throws -> Self { try reader.integer() }

    /// The decimal digits.
    public func write(to writer: inout SettingWriter) throws { writer.integer(self) }
}

// Integers are Codable too; each must say which of the two readings is meant.
extension SettingValue where Self: FixedWidthInteger & Codable {
    /// A JSON number without fraction that this width holds.
    public static func read(from reader: SettingReader) throws -> Self { try reader.integer() }

    /// The decimal digits.
    public func write(to writer: inout SettingWriter) throws { writer.integer(self) }

    /// `==`.
    public func isSame(as other: Self) -> Bool { self == other }
}

extension Int: SettingValue {}
extension Int8: SettingValue {}
extension Int16: SettingValue {}
extension Int32: SettingValue {}
extension Int64: SettingValue {}
extension Int128: SettingValue {}
extension UInt: SettingValue {}
extension UInt8: SettingValue {}
extension UInt16: SettingValue {}
extension UInt32: SettingValue {}
extension UInt64: SettingValue {}
extension UInt128: SettingValue {}
