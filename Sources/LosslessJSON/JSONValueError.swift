/// Why a value cannot be read as what was asked for. It names no file; `place` and `path` say where in the document.
package struct JSONValueError: Error, Sendable, CustomStringConvertible {
    /// What is wrong.
    package enum Code: Hashable, Sendable {
        /// A value of another kind: `found` and `expected` say which.
        case typeMismatch
        /// A number outside the type's range.
        case outOfRange
        /// A number that the type would have to round.
        case notExact
        /// A string with half a surrogate pair, which is no text.
        case loneSurrogate
        /// A member that has to be there is not.
        case missingMember
        /// An array with too few elements.
        case missingElement
        /// A value that a type refused when it decoded itself.
        case corrupted
    }

    /// What is wrong.
    package let code: Code
    /// The value concerned; for `missingMember` and `missingElement`, the container.
    package let node: JSONNode
    /// What stands there.
    package let found: String
    /// What was expected.
    package let expected: String

    /// Makes an error from its parts.
    package init(_ code: Code, at node: JSONNode, found: String, expected: String) {
        self.code = code
        self.node = node
        self.found = found
        self.expected = expected
    }

    /// Line and column of the value. Linear in its offset.
    package var place: JSONPlace { node.place }
    /// The names and indices from the root of the document to the value.
    package var path: JSONPath { node.path }

    /// What was found and expected, without place and path. Quotes no string of the document.
    package var reason: String { "found \(found), expected \(expected)" }

    /// "line 3, column 5: found a string, expected an integer (at server.port)".
    package var description: String {
        let path = path
        return "\(place): \(reason)" + (path.isEmpty ? "" : " (at \(path))")
    }

    static func mismatch(_ node: JSONNode, expected: String) -> JSONValueError {
        JSONValueError(.typeMismatch, at: node, found: node.kind.description, expected: expected)
    }
}
