import LosslessJSON

/// A dotted name taken apart: `server.port` names the member `port` of the object `server`.
struct SettingPath: Hashable, Sendable {
    /// A name that is no path.
    struct Malformed: Error, Hashable, CustomStringConvertible {
        let description: String
    }

    /// Longer names are refused: they are a mistake, and each message would repeat them.
    static let maximumLength = 1_024

    /// The member names from the root; never empty, none of them empty.
    let names: [String]

    /// Takes `name` apart. A dot separates; `\.` is a dot and `\\` a backslash that belong to a name.
    init(parsing name: String) throws(Malformed) {
        guard name.utf8.count <= Self.maximumLength else {
            throw Malformed(description: "a key of \(name.utf8.count) bytes; at most \(Self.maximumLength) are allowed")
        }
        var names: [String] = []
        var current = ""
        var isEscaped = false
        for character in name.unicodeScalars {
            if isEscaped {
                guard character == "." || character == "\\" else {
                    throw Malformed(description: "key \"\(name)\": only \\. and \\\\ are escapes")
                }
                current.unicodeScalars.append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "." {
                names.append(current)
                current = ""
            } else if character.value < 0x20 || character.value == 0x7F {
                throw Malformed(description: "a key with a control character")
            } else {
                current.unicodeScalars.append(character)
            }
        }
        names.append(current)
        guard !isEscaped else { throw Malformed(description: "key \"\(name)\" ends with a single backslash") }
        guard !names.contains("") else {
            throw Malformed(
                description: name.isEmpty ? "an empty key" : "key \"\(name)\" has an empty part between its dots")
        }
        self.names = names
    }

    /// The path of a member found in a text. Its names may be empty or hold anything.
    init(names: [String]) { self.names = names }

    /// As the text engine takes it.
    var json: JSONPath { JSONPath(names.map(JSONPath.Step.name)) }

    /// The dotted form, which reads back as the same setting. A member written flat (`"a.b"`) means the nested path and
    /// is shown like it; backslashes, and dots that would separate nothing (`"a..b"`), are escaped.
    ///
    /// Only a path that no key can name does not read back: with an empty name or control characters, or too long.
    var description: String { names.map(Self.escaped).joined(separator: ".") }

    private static func escaped(_ name: String) -> String {
        let bytes = name.utf8
        let hasEmptyPart =
            name.contains(".") && name.split(separator: ".", omittingEmptySubsequences: false).contains("")
        guard hasEmptyPart || bytes.contains(UInt8(ascii: "\\")) else { return name }
        var text = ""
        for character in name.unicodeScalars {
            if character == "\\" || (character == "." && hasEmptyPart) { text += "\\" }
            text.unicodeScalars.append(character)
        }
        return text
    }

    /// The names with every dot taken as a separator, as a member written flat and one nested are the same setting.
    var parts: [Substring] {
        names.flatMap { $0.split(separator: ".", omittingEmptySubsequences: false) }
    }
}

extension SettingPath: CustomStringConvertible {}
