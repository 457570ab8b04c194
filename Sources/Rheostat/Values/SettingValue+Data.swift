#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Data: SettingValue {
    private static let form = "base64 with padding and without spaces (RFC 4648, section 4)"

    /// Base64 by RFC 4648, section 4. Padding is required, and bits that it leaves unused must be zero, so that no two
    /// texts are the same data.
    public static func read(from reader: SettingReader) throws -> Data {
        let text = try reader.text(form)
        // One text alone encodes to itself: that refuses whatever else the decoder lets pass.
        guard let data = Data(base64Encoded: text), data.base64EncodedString().utf8.elementsEqual(text.utf8) else {
            throw reader.refusal(form)
        }
        return data
    }

    /// Base64 by RFC 4648, section 4, with padding, on one line.
    public func write(to writer: inout SettingWriter) throws { writer.string(base64EncodedString()) }

    /// Equality of the bytes.
    public func isSame(as other: Data) -> Bool { self == other }
}
