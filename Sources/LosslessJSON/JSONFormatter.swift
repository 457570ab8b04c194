/// The text of a whole document that does not exist yet: two-space indentation, LF, a final line end.
package enum JSONFormatter {
    /// A member of the new document.
    package struct Entry: Sendable {
        /// Where it stands, by names; entries that share beginnings share objects.
        package var path: JSONPath
        /// The JSON text of its value; written as it is.
        package var text: [UInt8]
        /// What to write above it as `//` lines; empty for nothing.
        package var comment: String

        /// Makes an entry.
        package init(path: JSONPath, text: [UInt8], comment: String = "") {
            self.path = path
            self.text = text
            self.comment = comment
        }
    }

    /// The text that holds the entries in their order. Without entries `{}`.
    ///
    /// Throws as `JSONDocument.edited` does: a value that is no JSON, two entries for one path, a path through another
    /// entry's value, an index in a path. The result is scanned before it is returned.
    package static func text(of entries: [Entry]) throws(JSONEditError) -> [UInt8] {
        if entries.isEmpty { return Array("{}\n".utf8) }
        let empty: JSONDocument
        do throws(JSONSyntaxError) {
            empty = try JSONDocument([], options: .settings)
        } catch {
            throw .unreadableResult(error)
        }
        var round = EditRound(empty)
        for entry in entries {
            if try !round.addNew(entry.path, text: entry.text, commentsAbove: lines(entry.comment)) {
                throw .nameTaken(path: entry.path)
            }
        }
        return try empty.applying(round).bytes
    }

    private static func lines(_ comment: String) -> [[UInt8]] {
        if comment.isEmpty { return [] }
        return comment.split(omittingEmptySubsequences: false) { $0.isNewline }
            .map { line in Array((line.isEmpty ? "//" : "// " + line).utf8) }
    }
}
