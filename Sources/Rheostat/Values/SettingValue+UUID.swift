#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension UUID: SettingValue {
    private static let form = "a UUID such as \"f81d4fae-7dec-11d0-a765-00a0c91e6bf6\""

    /// The 36 characters of RFC 9562, section 4, with digits in either case.
    public static func read(from reader: SettingReader) throws -> UUID {
        let text = try reader.text(form)
        let isWellFormed =
            text.utf8.count == 36
            && text.utf8.enumerated().allSatisfy { position, character in
                switch position {
                case 8, 13, 18, 23: character == 0x2D
                default: 0x30...0x39 ~= character || 0x61...0x66 ~= character | 0x20
                }
            }
        guard isWellFormed, let value = UUID(uuidString: text) else { throw reader.refusal(form) }
        return value
    }

    /// The canonical form, which has lower-case digits (RFC 4122, section 3).
    public func write(to writer: inout SettingWriter) throws { writer.string(uuidString.lowercased()) }

    /// Equality.
    public func isSame(as other: UUID) -> Bool { self == other }
}
