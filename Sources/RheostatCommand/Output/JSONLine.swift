import Rheostat

/// A JSON object on one line, member by member.
struct JSONLine {
    private var members = ""

    /// Adds a string; `nil` adds nothing.
    mutating func add(_ name: String, string: String?) throws {
        if let string { try add(name, json: RawJSON(string: string)) }
    }

    /// Adds a number; `nil` adds nothing.
    mutating func add(_ name: String, number: (some BinaryInteger)?) throws {
        if let number { try append(name, "\(number)") }
    }

    /// Adds a value as it is spelled, without comments and line breaks; `nil` adds nothing.
    mutating func add(_ name: String, json: RawJSON?) throws {
        if let json { try append(name, json.compactText) }
    }

    /// Adds an object.
    mutating func add(_ name: String, object: JSONLine) throws { try append(name, object.text) }

    /// The object.
    var text: String { "{" + members + "}" }

    private mutating func append(_ name: String, _ value: String) throws {
        if !members.isEmpty { members += "," }
        members += try RawJSON(string: name).compactText
        members += ":"
        members += value
    }
}
