import LosslessJSON

extension SettingValueError {
    /// JSON has no NaN and no infinity.
    static let notFinite = SettingValueError(expected: "a finite number", found: "one that is not")

    /// An error of the text engine.
    init(_ error: JSONValueError) {
        let place = error.place
        self.init(expected: error.expected, found: Self.describe(error.node), line: place.line, column: place.column)
    }

    /// An error about the value that stands at `node`.
    init(expected: String, at node: JSONNode) {
        let place = node.place
        self.init(expected: expected, found: Self.describe(node), line: place.line, column: place.column)
    }

    /// What `node` is, in words, shortened if it is long.
    static func describe(_ node: JSONNode) -> String {
        let limit = 60
        func short(_ text: String) -> String { text.count > limit ? text.prefix(limit) + "…" : text }
        return switch node.kind {
        case .null: "null"
        case .true, .false: node.text
        case .number: "the number \(short(node.text))"
        case .string: "the string \(short(node.text))"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// The same error seen from the value that contains this one.
    func inside(_ part: String) -> SettingValueError {
        SettingValueError(expected: expected, found: found, line: line, column: column, subpath: part + subpath)
    }
}
