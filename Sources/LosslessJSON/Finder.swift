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
enum Finder {
    /// Calls `body` with each spelling of the path in text order. Names are compared in place.
    @inline(__always)
    static func forEachSpelling(of path: JSONPath, in document: JSONDocument, _ body: (Spelling) -> Void) {
        if document.nodeCount == 0 { return }
        if path.isEmpty { return body(Spelling(name: -1, value: 0, container: -1, step: 0)) }
        path.joined.withUnsafeBytes { joined in
            path.segments.withUnsafeBufferPointer { segments in
                // No bytes are compared at the text's address if the names are empty.
                guard let text = document.rawText.baseAddress else { return }
                let search = Search(
                    document: document, nodes: document.nodes, text: text, names: joined.baseAddress ?? text,
                    nameCount: joined.count, segments: segments, index: document.madeNameIndex)
                search.run(0, from: 0, body)
            }
        }
    }
}

/// The working part of a search. Sound: the pointers are those of a document and a path that the caller keeps alive, and
/// nodes lead only to nodes of the same tape.
private struct Search {
    unowned(unsafe) let document: JSONDocument
    let nodes: UnsafePointer<TapeNode>
    let text: UnsafeRawPointer
    let names: UnsafeRawPointer
    let nameCount: Int
    let segments: UnsafeBufferPointer<JSONPath.Segment>
    let index: NameIndex?

    func run(_ container: Int, from step: Int, _ body: (Spelling) -> Void) {
        let node = nodes[container]
        let segment = segments[step]
        if !segment.isName {
            if node.kind == .array { element(segment.index, of: container, step, body) }
            return
        }
        guard node.kind == .object else { return }
        if let index, NameIndex.isWide(container, in: document) {
            return wide(container, from: step, index, body)
        }
        let end = Int(node.next)
        let length = segment.end - segment.start
        let isLast = step &+ 1 == segments.count
        // Most names differ in length or in the last byte already.
        let lastByte = length > 0 ? names.load(fromByteOffset: segment.end - 1, as: UInt8.self) : 0x22
        var name = container + 1
        var walked = 0
        while name < end {
            let candidate = nodes[name]
            let value = name &+ 1
            let count = Int(candidate.end &- candidate.start) &- 2
            var steps = 0
            if candidate.info & TapeNode.hasEscape != 0 {
                steps = matchedSteps(name, from: step)
            } else if count == length {
                let start = text + Int(candidate.start) + 1
                if length == 0
                    || (start.load(fromByteOffset: length &- 1, as: UInt8.self) == lastByte
                        && Memory.areEqual(start, names + segment.start, length))
                {
                    steps = 1
                }
            } else if count > length, !isLast,
                text.load(fromByteOffset: Int(candidate.start) &+ 1 &+ length, as: UInt8.self) == 0x2E
            {
                steps = matchedSteps(name, from: step)
            }
            if steps > 0 {
                reached(Spelling(name: name, value: value, container: container, step: step), step &+ steps, body)
            }
            walked &+= 1
            name = Int(nodes[value].next)
        }
        if walked >= NameIndex.wide { document.noteWalk(over: walked) }
    }

    private func element(_ position: Int, of array: Int, _ step: Int, _ body: (Spelling) -> Void) {
        let end = Int(nodes[array].next)
        var element = array + 1
        var rest = position
        while element < end {
            if rest == 0 {
                return reached(Spelling(name: -1, value: element, container: array, step: step), step + 1, body)
            }
            rest -= 1
            element = Int(nodes[element].next)
        }
    }

    /// The same for a wide object: the names that can match are looked up by hash.
    private func wide(_ container: Int, from step: Int, _ index: NameIndex, _ body: (Spelling) -> Void) {
        var found: [(name: Int, steps: Int)] = []
        var last = step
        while last < segments.count, segments[last].isName {
            let start = segments[step].start
            let bytes = UnsafeRawBufferPointer(start: names + start, count: segments[last].end - start)
            index.forEachCandidate(bytes, in: container) { name in
                if matchedSteps(name, from: step) == last - step + 1 { found.append((name, last - step + 1)) }
            }
            last += 1
        }
        if found.count > 1 { found.sort { $0.name < $1.name } }
        for (name, steps) in found {
            reached(Spelling(name: name, value: name + 1, container: container, step: step), step + steps, body)
        }
    }

    @inline(__always)
    private func reached(_ spelling: Spelling, _ step: Int, _ body: (Spelling) -> Void) {
        if step == segments.count { body(spelling) } else { run(spelling.value, from: step, body) }
    }

    /// How many steps from `step` on the name at a tape index spells; 0 if it spells none.
    private func matchedSteps(_ name: Int, from step: Int) -> Int {
        let node = nodes[name]
        if node.has(TapeNode.hasEscape) {
            return JSONString.unescapedName(document, name).withUnsafeBytes { matchedSteps($0, from: step) }
        }
        let count = Int(node.end &- node.start) - 2
        return matchedSteps(UnsafeRawBufferPointer(start: text + Int(node.start) + 1, count: count), from: step)
    }

    private func matchedSteps(_ name: UnsafeRawBufferPointer, from step: Int) -> Int {
        let start = segments[step].start
        guard name.count <= nameCount - start, Memory.areEqual(name.baseAddress, names + start, name.count) else {
            return 0
        }
        let end = start + name.count
        var last = step
        while last < segments.count, segments[last].isName {
            if segments[last].end == end { return last - step + 1 }
            if segments[last].end > end { return 0 }
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
        Finder.forEachSpelling(of: path, in: self) { found in
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
        Finder.forEachSpelling(of: path, in: self) { last = $0.value }
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
