/// A value that its type does not take.
///
/// The store turns it into a ``SettingsError`` or ``SettingsProblem`` that also names key and file. What was found is
/// left out there when the key is secret or not known.
public struct SettingValueError: Error, Sendable, CustomStringConvertible {
    /// What would have been taken, to follow the word "expected".
    public let expected: String

    /// What stands there, such as `the string "abc"`. It may quote the value.
    public let found: String

    /// The line in the text, from 1; 0 when the value is in no text.
    public let line: Int

    /// The column in the line in Unicode scalars, from 1; 0 when the value is in no text.
    public let column: Int

    /// Members and indices below the setting's value, such as `[2].name`; empty for the value itself.
    public let subpath: String

    /// `expected an integer, found the string "abc"`
    public var description: String { message(quoting: true) }

    /// The message with or without what was found and where inside, which may both quote the value.
    func message(quoting: Bool) -> String {
        guard quoting else { return "expected \(expected)" }
        let inside = subpath.isEmpty ? "" : " in \(subpath)"
        return "expected \(expected)\(inside), found \(found)"
    }

    init(expected: String, found: String, line: Int = 0, column: Int = 0, subpath: String = "") {
        self.expected = expected
        self.found = found
        self.line = line
        self.column = column
        self.subpath = subpath
    }
}
