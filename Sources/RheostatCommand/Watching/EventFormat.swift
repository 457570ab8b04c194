import Rheostat

/// How events are written, a line each.
protocol EventFormat: Sendable {
    /// The values at the start, and that what follows is news.
    mutating func begin(_ values: [(key: String, value: RawJSON?)]) throws -> [String]
    /// A change by another program, or by this process.
    mutating func change(_ change: ReportedChange, isLocal: Bool, revision: UInt64) throws -> String
    /// Something is wrong with the file.
    mutating func problem(_ problem: SettingsProblem) throws -> String
    /// The file can be used again.
    mutating func resolved() throws -> String
}

/// One JSON object a line, for programs.
struct JSONEvents: EventFormat {
    func begin(_ values: [(key: String, value: RawJSON?)]) throws -> [String] {
        var lines: [String] = []
        for (key, value) in values {
            var line = try event("value")
            try line.add("key", string: key)
            try line.add("value", json: value)
            lines.append(line.text)
        }
        return lines + [try event("ready").text]
    }

    func change(_ change: ReportedChange, isLocal: Bool, revision: UInt64) throws -> String {
        var line = try event("change")
        try line.add("key", string: change.key)
        try line.add("old", json: change.old)
        try line.add("new", json: change.new)
        try line.add("origin", string: isLocal ? "local" : "file")
        try line.add("revision", number: revision)
        return line.text
    }

    func problem(_ problem: SettingsProblem) throws -> String {
        var line = try event("problem")
        try line.add("kind", string: problem.kind.description)
        try line.add("message", string: problem.message)
        try line.add("file", string: problem.file)
        try line.add("line", number: problem.line)
        try line.add("column", number: problem.column)
        try line.add("key", string: problem.key)
        return line.text
    }

    func resolved() throws -> String { try event("resolved").text }

    private func event(_ name: String) throws -> JSONLine {
        var line = JSONLine()
        try line.add("event", string: name)
        return line
    }
}
