import LosslessJSON

/// All that is set at one moment, by path.
///
/// A snapshot is immutable. It keeps the text it was made from alive.
public struct RawSnapshot: Sendable {
    let snapshot: Snapshot

    /// The revision of the store it shows.
    public let revision: UInt64

    /// The value at `path`, such as `server.port`; `nil` when nothing is set there.
    ///
    /// Throws ``SettingsError/invalidKeys`` when `path` is no path.
    public func value(of path: String) throws -> RawJSON? { value(of: try SettingPath(checking: path)) }

    /// Where the value at `path` stands, or `nil` when nothing is set there.
    ///
    /// Throws ``SettingsError/invalidKeys`` when `path` is no path.
    public func origin(of path: String) throws -> SettingOrigin? {
        snapshot.origin(of: try SettingPath(checking: path))
    }

    /// Every value that is no object, in the order of the text: all, or those at and below `prefix`.
    ///
    /// An array is one value. Where a setting stands more than once, only the one that counts is listed. The cost is
    /// proportional to the size of the text.
    public func entries(below prefix: String? = nil) throws -> [RawEntry] {
        let prefix = try prefix.map { try SettingPath(checking: $0).parts }
        var entries: [RawEntry] = []
        var places: [SettingPath: Int] = [:]
        snapshot.forEachLeaf { path, node in
            if let prefix, !path.parts.starts(with: prefix) { return }
            let entry = RawEntry(path: path.description, value: RawJSON(node), location: snapshot.location)
            if let earlier = places[path] { entries[earlier].isSuperseded = true }
            places[path] = entries.count
            entries.append(entry)
        }
        return entries.filter { !$0.isSuperseded }
    }

    func value(of path: SettingPath) -> RawJSON? { snapshot.document.find(path.json).map { RawJSON($0.value) } }
}

/// One value in a ``RawSnapshot``.
public struct RawEntry: Sendable {
    /// The dotted path.
    public let path: String

    /// The value.
    public let value: RawJSON

    /// Where it stands.
    public var origin: SettingOrigin { SettingOrigin(file: location, node: value.node) }

    let location: String?
    var isSuperseded = false
}

extension Snapshot {
    /// Calls `body` with each value that is no object, in the order of the text.
    func forEachLeaf(_ body: (SettingPath, JSONNode) -> Void) {
        guard let root = document.root else { return }
        forEachLeaf(in: root, at: [], body)
    }

    /// Calls `body` with each value at or below the value at `path` that is no object.
    func forEachLeaf(below path: SettingPath, _ body: (SettingPath, JSONNode) -> Void) {
        guard let match = document.find(path.json) else { return }
        forEachLeaf(in: match.value, at: path.names, body)
    }

    private func forEachLeaf(in node: JSONNode, at names: [String], _ body: (SettingPath, JSONNode) -> Void) {
        guard node.kind == .object else { return body(SettingPath(names: names).canonical, node) }
        for member in node.members {
            do throws(JSONValueError) {
                forEachLeaf(in: member.value, at: names + [try member.nameNode.string()], body)
            } catch {
                // A name with half of a surrogate pair: no path can say it.
            }
        }
    }

    /// Where the value at `path` stands.
    func origin(of path: SettingPath) -> SettingOrigin? {
        document.find(path.json).map { SettingOrigin(file: location, node: $0.value) }
    }
}

extension SettingPath {
    /// Takes a caller's path apart.
    init(checking path: String) throws(SettingsError) {
        do throws(Malformed) { try self.init(parsing: path) } catch {
            throw SettingsError(.invalidKeys, error.description, key: path)
        }
    }

    /// The same setting's path in its nested form: a member written flat means the nested path.
    var canonical: SettingPath {
        let parts = parts
        guard parts.count != names.count, !parts.contains("") else { return self }
        return SettingPath(names: parts.map(String.init))
    }
}
