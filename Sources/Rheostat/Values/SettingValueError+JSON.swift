import LosslessJSON

extension SettingValueError {
    /// JSON has no NaN and no infinity.
    static let notFinite = SettingValueError(expected: "a finite number", found: "one that is not")

    /// An error of the text engine about a value at or below `root`; without a root it is about the value itself.
    init(_ error: JSONValueError, below root: JSONNode? = nil) {
        let place = error.place
        let node = Self.describe(error.node)
        let (expected, found) =
            switch error.code {
            case .missingMember, .missingElement: (error.expected, error.found)
            // A type's own words may quote the value, which belongs to what was found.
            case .corrupted: ("a value that its type takes", "\(node) (\(error.expected))")
            default: (error.expected, node)
            }
        self.init(
            expected: expected, found: found, line: place.line, column: place.column,
            subpath: root.map(error.node.subpath(below:)) ?? "")
    }

    /// An error about the value that stands at `node`, and the error of user code that it comes from, if any.
    init(expected: String, at node: JSONNode, because error: (any Error)? = nil) {
        let place = node.place
        let found = Self.describe(node) + (error.map { " (\($0))" } ?? "")
        self.init(expected: expected, found: found, line: place.line, column: place.column)
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
