#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension URL: SettingValue {
    private static let form = "a URL that needs no percent-encoding (RFC 3986)"

    /// A URL, spelled exactly as ``Foundation/URL/absoluteString`` gives it back.
    ///
    /// A text that the parser would rewrite is refused: spaces, characters outside ASCII, a `%` without two digits. A
    /// relative reference such as `/login` is a URL too; `validate` of the key can ask for a scheme or a host.
    public static func read(from reader: SettingReader) throws -> URL {
        guard let url = exact(try reader.text(form)) else { throw reader.refusal(form) }
        return url
    }

    /// `absoluteString`. A URL with a base becomes the absolute one that it stands for.
    ///
    /// Refused is a URL whose `absoluteString` would not read back as itself.
    public func write(to writer: inout SettingWriter) throws {
        let text = absoluteString
        guard Self.exact(text) != nil else { throw SettingValueError(expected: Self.form, found: "\"\(text)\"") }
        writer.string(text)
    }

    /// `==`.
    public func isSame(as other: URL) -> Bool { self == other }

    private static func exact(_ text: String) -> URL? {
        guard let url = URL(string: text, encodingInvalidCharacters: false),
            url.absoluteString.utf8.elementsEqual(text.utf8)
        else { return nil }
        return url
    }
}
