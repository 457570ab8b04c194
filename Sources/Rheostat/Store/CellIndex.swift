/// A store's cells by path, so that a changed place in the text finds the cells it concerns: those of the settings
/// there, above and below.
struct CellIndex: Sendable {
    private struct Node: Sendable {
        var children: [Substring: Node] = [:]
        var cells: [AnySettingCell] = []

        mutating func insert(_ cell: AnySettingCell, at parts: ArraySlice<Substring>) {
            guard let part = parts.first else { return cells.append(cell) }
            children[part, default: Node()].insert(cell, at: parts.dropFirst())
        }
    }

    private var root = Node()

    /// Adds a cell.
    mutating func insert(_ cell: AnySettingCell) {
        root.insert(cell, at: cell.path.parts[...])
    }

    /// Why `cell`'s key cannot be used beside those that are here: one name with two types or defaults, or a name that is
    /// the beginning of another. Keys for raw values stand beside any other.
    func conflict(with cell: AnySettingCell) -> SettingsProblem? {
        guard !cell.anyKey.isRaw else { return nil }
        var other: AnySettingCell?
        forEach(concernedBy: cell.path) { if other == nil, !$0.anyKey.isRaw { other = $0 } }
        return other.map { cell.anyKey.conflict(with: $0.anyKey) }
    }

    /// Calls `body` with each cell whose value may differ when the text at `path` does.
    func forEach(concernedBy path: SettingPath, _ body: (AnySettingCell) -> Void) {
        var node = root
        for part in path.parts {
            node.cells.forEach(body)
            guard let child = node.children[part] else { return }
            node = child
        }
        forEach(below: node, body)
    }

    /// Calls `body` with each cell.
    func forEach(_ body: (AnySettingCell) -> Void) { forEach(below: root, body) }

    private func forEach(below node: Node, _ body: (AnySettingCell) -> Void) {
        node.cells.forEach(body)
        for child in node.children.values { forEach(below: child, body) }
    }
}
