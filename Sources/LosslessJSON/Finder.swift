/// One place where a path is spelled, as tape indices.
struct Spelling {
    /// The name node, or -1 for an array element.
    var name: Int
    /// The value node.
    var value: Int
    /// The object or array it stands in.
    var container: Int
    /// The first step of the path that `name` (or the array index) spells; it spells all from there on.
    var step: Int
}

/// The search for a path in a document.
///
/// A member whose name is any number of the following names joined by dots matches them: the rest of the path is then
/// looked for in its value. So nested, flat and partly flat spellings are all found, in text order.
struct Finder {
    let document: JSONDocument
    let path: JSONPath

    /// Calls `body` with each spelling of the path in text order. Names are compared in place.
    func forEachSpelling(_ body: (Spelling) -> Void) {
        if document.nodeCount == 0 { return }
        if path.isEmpty { return body(Spelling(name: -1, value: 0, container: -1, step: 0)) }
        path.joined.withUnsafeBytes { joined in search(0, from: 0, joined, body) }
    }

    private func search(
        _ container: Int, from step: Int, _ joined: UnsafeRawBufferPointer, _ body: (Spelling) -> Void
    ) {
        let node = document.node(container)
        let segment = path.segments[step]
        if !segment.isName {
            guard node.kind == .array else { return }
            var position = 0
            var child = container + 1
            while child < Int(node.next) {
                if position == segment.index {
                    reached(Spelling(name: -1, value: child, container: container, step: step), step + 1, joined, body)
                    return
                }
                position += 1
                child = Int(document.node(child).next)
            }
            return
        }
        guard node.kind == .object else { return }
        if let index = document.madeNameIndex, NameIndex.isWide(container, in: document) {
            return search(container, from: step, joined, index, body)
        }
        var name = container + 1
        var walked = 0
        while name < Int(node.next) {
            let steps = matchedSteps(name, from: step, joined)
            if steps > 0 {
                reached(
                    Spelling(name: name, value: name + 1, container: container, step: step), step + steps, joined, body)
            }
            walked += 1
            name = Int(document.node(name + 1).next)
        }
        if walked >= NameIndex.wide { _ = document.nameIndex(afterWalkOver: walked) }
    }

    /// The same for a wide object: the names that can match are looked up by hash.
    private func search(
        _ container: Int, from step: Int, _ joined: UnsafeRawBufferPointer, _ index: NameIndex,
        _ body: (Spelling) -> Void
    ) {
        var found: [(name: Int, steps: Int)] = []
        var last = step
        while last < path.count, path.segments[last].isName {
            let bytes = UnsafeRawBufferPointer(rebasing: joined[path.segments[step].start..<path.segments[last].end])
            index.forEachCandidate(bytes, in: container) { name in
                if matchedSteps(name, from: step, joined) == last - step + 1 { found.append((name, last - step + 1)) }
            }
            last += 1
        }
        if found.count > 1 { found.sort { $0.name < $1.name } }
        for (name, steps) in found {
            reached(Spelling(name: name, value: name + 1, container: container, step: step), step + steps, joined, body)
        }
    }

    private func reached(
        _ spelling: Spelling, _ step: Int, _ joined: UnsafeRawBufferPointer, _ body: (Spelling) -> Void
    ) {
        if step == path.count { body(spelling) } else { search(spelling.value, from: step, joined, body) }
    }

    /// How many steps from `step` on the name at a tape index spells; 0 if it spells none.
    @inline(__always)
    private func matchedSteps(_ name: Int, from step: Int, _ joined: UnsafeRawBufferPointer) -> Int {
        let node = document.node(name)
        let start = path.segments[step].start
        if node.has(TapeNode.hasEscape) {
            let bytes = JSONString.unescapedName(document, name)
            return bytes.withUnsafeBytes { matchedSteps($0.baseAddress, bytes.count, from: step, start, joined) }
        }
        let length = Int(node.end &- node.start) - 2
        return matchedSteps(
            document.rawText.baseAddress.map { $0 + Int(node.start) + 1 }, length, from: step, start, joined)
    }

    @inline(__always)
    private func matchedSteps(
        _ bytes: UnsafeRawPointer?, _ length: Int, from step: Int, _ start: Int, _ joined: UnsafeRawBufferPointer
    ) -> Int {
        guard length <= joined.count - start else { return 0 }
        guard Memory.areEqual(bytes, joined.baseAddress.map { $0 + start }, length) else { return 0 }
        let end = start + length
        var last = step
        while last < path.count, path.segments[last].isName {
            if path.segments[last].end == end { return last - step + 1 }
            if path.segments[last].end > end { return 0 }
            last += 1
        }
        return 0
    }
}

extension JSONDocument {
    /// Finds a path in whatever way it is spelled: nested, flat ("a.b"), partly flat, repeated.
    ///
    /// Without trees and without copying names. A narrow object is walked; wide ones get a hash index once walks over
    /// them repeat. Returns nil if the path is absent.
    package func find(_ path: JSONPath) -> JSONMatch? {
        var spellings: [JSONSpelling] = []
        Finder(document: self, path: path).forEachSpelling { found in
            spellings.append(
                JSONSpelling(
                    nameNode: found.name < 0 ? nil : JSONNode(document: self, index: found.name),
                    value: JSONNode(document: self, index: found.value), isFlat: path.count - found.step > 1))
        }
        guard let last = spellings.last else { return nil }
        return JSONMatch(value: last.value, spellings: spellings)
    }

    /// The value that counts at a path: that of the last spelling. Allocates nothing.
    package func value(at path: JSONPath) -> JSONNode? {
        var last = -1
        Finder(document: self, path: path).forEachSpelling { last = $0.value }
        return last < 0 ? nil : JSONNode(document: self, index: last)
    }
}

/// What a look-up found.
package struct JSONMatch: Sendable {
    /// The value that counts: that of the last spelling in the text.
    package let value: JSONNode
    /// All spellings in text order, at least one.
    package let spellings: [JSONSpelling]
}

/// One of the places where a path is written.
package struct JSONSpelling: Sendable {
    /// The name, or its dotted last part; nil for the root and for array elements.
    package let nameNode: JSONNode?
    /// The value there.
    package let value: JSONNode
    /// Whether the name spells more than one step of the path.
    package let isFlat: Bool
    /// Where it stands: its name, else its value.
    package var place: JSONPlace { (nameNode ?? value).place }
}
