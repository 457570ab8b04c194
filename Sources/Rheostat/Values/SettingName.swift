/// A type that can name the members of a dictionary: strings, integers, and enumerations by their raw value.
///
/// An enumeration needs an empty conformance.
public protocol SettingName: Hashable, Sendable {
    /// The key that `name` stands for, or `nil` if it stands for none.
    ///
    /// Of the spellings that could mean one key only ``settingName`` is taken, so that no two members are one key.
    init?(settingName name: String)

    /// The member name.
    var settingName: String { get }
}

extension String: SettingName {
    /// The name itself.
    public init?(settingName name: String) { self = name }

    /// The string itself.
    public var settingName: String { self }
}

extension SettingName where Self: FixedWidthInteger {
    /// The integer whose decimal digits `name` is, without a plus sign or leading zeros.
    public init?(settingName name: String) {
        guard let value = Self(name), String(value) == name else { return nil }
        self = value
    }

    /// The decimal digits.
    public var settingName: String { String(self) }
}

extension SettingName where Self: RawRepresentable, RawValue: SettingName {
    /// The case whose raw value `name` stands for.
    public init?(settingName name: String) {
        guard let rawValue = RawValue(settingName: name) else { return nil }
        self.init(rawValue: rawValue)
    }

    /// The raw value's name.
    public var settingName: String { rawValue.settingName }
}

extension Int: SettingName {}
extension Int8: SettingName {}
extension Int16: SettingName {}
extension Int32: SettingName {}
extension Int64: SettingName {}
extension Int128: SettingName {}
extension UInt: SettingName {}
extension UInt8: SettingName {}
extension UInt16: SettingName {}
extension UInt32: SettingName {}
extension UInt64: SettingName {}
extension UInt128: SettingName {}
