import Rheostat

extension Verb {
    /// `rheostat list`
    static let list = Verb(
        name: "list", operands: "FILE [PREFIX]", count: 1...2, flags: [.json, .origin],
        summary: "print every key and its value",
        details: [
            """
            Prints "key = value" for each value that is no object, in the order of the file; an array is one value. \
            With PREFIX only the keys at and below it. Values are JSON on one line.
            """,
            """
            --json prints one object of key to value. --origin adds FILE:LINE:COLUMN behind a tab; with --json each \
            value becomes an object with value, file, line and column.
            """,
        ],
        example: ["rheostat list service.json server", "server.host = \"127.0.0.1\"", "server.port = 8080"]
    ) { arguments in
        let path = arguments.file.path
        let settings = try await arguments.file.open()
        let prefix = arguments.operands.dropFirst().first
        let entries = try settings.raw.snapshot.entries(below: prefix)
        if arguments.has(.json) {
            var object = JSONLine()
            for entry in entries {
                guard arguments.has(.origin) else {
                    try object.add(entry.path, json: entry.value)
                    continue
                }
                let origin = entry.origin
                var value = JSONLine()
                try value.add("value", json: entry.value)
                try value.add("file", string: path)
                try value.add("line", number: origin.line)
                try value.add("column", number: origin.column)
                try object.add(entry.path, object: value)
            }
            return try StandardStreams.print(object.text)
        }
        guard !entries.isEmpty else { return }
        let lines = entries.map { entry in
            let line = "\(entry.path) = \(entry.value.compactText)".printable
            guard arguments.has(.origin), let row = entry.origin.line, let column = entry.origin.column else {
                return line
            }
            return line + "\t" + "\(path):\(row):\(column)".printable
        }
        try StandardStreams.print(lines.joined(separator: "\n"))
    }
}
