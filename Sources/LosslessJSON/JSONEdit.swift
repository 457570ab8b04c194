/// One change to a text. Paths are looked up as `JSONDocument.find` does.
package enum JSONEdit: Sendable, Hashable {
    /// Sets the value at a path to the JSON value in `text` (comments and white space around it are left out), making
    /// the member, and the objects on the way, if they are absent. The last spelling is the one set. An array index
    /// equal to the number of elements appends.
    case set(JSONPath, text: [UInt8])
    /// Makes the value at a path the JSON value of `text` by editing inside it only where the two differ: members and
    /// elements that are equal keep their spelling, comments and order. Else like `set`.
    case adjust(JSONPath, text: [UInt8])
    /// Inserts an element before the one at an index; the number of elements is the place behind the last.
    case insert(JSONPath, text: [UInt8])
    /// Removes all spellings of a path, with the comments they own. An absent path is no change.
    case remove(JSONPath)
    /// Gives the member at a path (all its spellings) another last name, where it stands. The path must be there, its
    /// new name not.
    case rename(JSONPath, to: String)
    /// Takes the member or element at a path, with the comments it owns, to another path: to a member that is absent,
    /// or before the element of an index (counted after it has been taken away). Within one object this is a rename.
    /// Of several spellings the one that counts is kept.
    case move(JSONPath, to: JSONPath)

    /// The text that it brings in.
    var text: [UInt8] {
        switch self {
        case .set(_, let text), .adjust(_, let text), .insert(_, let text): text
        case .remove, .rename, .move: []
        }
    }

    /// The path the edit is about.
    package var path: JSONPath {
        switch self {
        case .set(let path, _), .adjust(let path, _), .insert(let path, _), .remove(let path), .rename(let path, _),
            .move(let path, _):
            path
        }
    }
}

/// Why a text was not edited. The document is as it was, whatever edit of a batch failed.
package enum JSONEditError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The way to `path` leads through a value that cannot hold it, at `place`.
    case notAContainer(path: JSONPath, found: JSONNode.Kind, place: JSONPlace)
    /// An array index that is neither an element nor the place to append one.
    case noSuchElement(path: JSONPath)
    /// A member to rename or move that is not there.
    case noSuchMember(path: JSONPath)
    /// A name that is taken already.
    case nameTaken(path: JSONPath)
    /// An edit of the root, or of an array element, that only members allow.
    case notAMember(path: JSONPath)
    /// The text to set is not one JSON value.
    case invalidValue(path: JSONPath, JSONSyntaxError)
    /// The edited text would not scan (it is too large or too deep, if nothing is wrong with the editor).
    case unreadableResult(JSONSyntaxError)
    /// The edited text would differ in other places than asked for: these. A fault of the editor, noticed in time.
    case unexpectedDifferences([JSONPath])

    /// A sentence that says what stands in the way.
    package var description: String {
        switch self {
        case .notAContainer(let path, let found, let place):
            "cannot set \(path): it leads through \(found) at \(place)"
        case .noSuchElement(let path): "there is no element \(path)"
        case .noSuchMember(let path): "there is no member \(path)"
        case .nameTaken(let path): "there is a member \(path) already"
        case .notAMember(let path): "\(path) is no member of an object"
        case .invalidValue(let path, let error): "the value for \(path) is not JSON: \(error)"
        case .unreadableResult(let error): "the edited text would not be readable: \(error)"
        case .unexpectedDifferences(let paths):
            "the edited text would also change \(paths.map(\.description).joined(separator: ", "))"
        }
    }
}
