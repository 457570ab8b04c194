import LosslessJSON

/// One state of what is stored: the text with its tape, and where it is kept.
final class Snapshot: Sendable {
    let document: JSONDocument
    /// The file, for messages and provenance; `nil` for a store without one.
    let location: String?

    init(document: JSONDocument, location: String?) {
        self.document = document
        self.location = location
    }
}
