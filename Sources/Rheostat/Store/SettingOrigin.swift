import LosslessJSON

/// Where a setting's value comes from.
public struct SettingOrigin: Hashable, Sendable, CustomStringConvertible {
    /// Which sort of place it is.
    public enum Layer: String, Sendable {
        /// A file, or what a backend keeps.
        case file
        /// An assignment that is not on the disk yet.
        case assignment
        /// The key's own default: nothing is set.
        case keyDefault
    }

    /// Which sort of place it is.
    public let layer: Layer

    /// The file as an absolute path, if it is one.
    public let file: String?

    /// The line in the file, from 1.
    public let line: Int?

    /// The column in the line, in Unicode scalars from 1.
    public let column: Int?

    init(file: String?, node: JSONNode) {
        let place = node.place
        layer = .file
        self.file = file
        line = place.line
        column = place.column
    }

    private init(_ layer: Layer) {
        self.layer = layer
        file = nil
        line = nil
        column = nil
    }

    /// The key's own default.
    static let keyDefault = SettingOrigin(.keyDefault)

    /// An assignment that is not on the disk yet.
    static let assignment = SettingOrigin(.assignment)

    /// `FILE:LINE:COLUMN`, `assignment` or `default`.
    public var description: String {
        guard let line, let column else { return layer == .keyDefault ? "default" : "\(layer)" }
        return "\(file ?? "memory"):\(line):\(column)"
    }
}
