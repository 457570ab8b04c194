/// A path that a text spells more than once.
package struct JSONDuplicate: Sendable {
    /// The names as spelled last, and indices.
    package let path: JSONPath
    /// All its spellings in text order: at least two, the last one counts.
    package let spellings: [JSONSpelling]
}

extension JSONDocument {
    /// Every path that is spelled more than once: repeated names, and flat members ("a.b") beside nested ones.
    ///
    /// Ordered by the second spelling. One pass over the names; linear, about as costly as the scan.
    package var duplicates: [JSONDuplicate] {
        let suspects = DuplicateScan(self).suspects
        if suspects.isEmpty { return [] }
        // Names only share a hash; their paths decide.
        var groups: [JSONPath: [Int]] = [:]
        var order: [JSONPath] = []
        for index in suspects {
            let path = JSONNode(document: self, index: index).path.split
            if groups[path] == nil { order.append(path) }
            groups[path, default: []].append(index)
        }
        return order.compactMap { path in
            guard let indices = groups[path], let last = indices.last, indices.count > 1 else { return nil }
            let spellings = indices.map { index in
                JSONSpelling(
                    nameNode: JSONNode(document: self, index: index), value: JSONNode(document: self, index: index + 1),
                    isFlat: JSONMember(document: self, nameIndex: index).name.contains("."))
            }
            return JSONDuplicate(path: JSONNode(document: self, index: last).path, spellings: spellings)
        }
    }
}

extension JSONPath {
    /// The same with each name split at its dots, so that all spellings of one path are equal.
    var split: JSONPath {
        var path = JSONPath()
        for step in steps {
            switch step {
            case .name(let name):
                for part in name.split(separator: ".", omittingEmptySubsequences: false) {
                    path.append(.name(String(part)))
                }
            case .index: path.append(step)
            }
        }
        return path
    }
}

/// Finds the names whose dotted path, from the root, has the hash of another's.
private struct DuplicateScan {
    private(set) var suspects: [Int] = []
    private let document: JSONDocument
    private var slots: [(hash: UInt64, name: UInt32, isSuspect: Bool)]

    private static let seed = UInt64.random(in: 1...UInt64.max)

    init(_ document: JSONDocument) {
        self.document = document
        var capacity = 16
        while capacity < document.nodeCount + 2 { capacity *= 2 }
        slots = Array(repeating: (0, 0, false), count: capacity)
        if document.nodeCount == 0 { return }
        walk()
        suspects.sort()
    }

    /// Walks all nodes in text order with the hashes of the open containers on a stack.
    private mutating func walk() {
        var open: [(end: Int, hash: UInt64, position: UInt64, isObject: Bool)] = []
        var index = 0
        var hash = Self.seed
        while index < document.nodeCount {
            while let top = open.last, index >= top.end { open.removeLast() }
            let node = document.node(index)
            if let top = open.last {
                if top.isObject {
                    hash = Self.extend(top.hash, document, index)
                    insert(hash, index)
                    index += 1
                } else {
                    open[open.count - 1].position += 1
                    hash = Self.mix(top.hash, top.position | 1 << 63)
                }
            }
            let value = open.last?.isObject == true ? document.node(index) : node
            if value.kind == .object || value.kind == .array {
                open.append((Int(value.next), hash, 0, value.kind == .object))
            }
            index += 1
        }
    }

    private mutating func insert(_ hash: UInt64, _ name: Int) {
        let mask = slots.count - 1
        let hash = hash | 1
        var slot = Int(truncatingIfNeeded: hash >> 20) & mask
        while slots[slot].hash != 0 {
            if slots[slot].hash == hash {
                if !slots[slot].isSuspect { suspects.append(Int(slots[slot].name)) }
                slots[slot].isSuspect = true
                suspects.append(name)
                return
            }
            slot = (slot + 1) & mask
        }
        slots[slot] = (hash, UInt32(name), false)
    }

    /// Byte by byte, so that "a" then "b" hash like "a.b".
    private static func extend(_ hash: UInt64, _ document: JSONDocument, _ name: Int) -> UInt64 {
        var hash = mix(hash, 0x2E)
        if document.node(name).has(TapeNode.hasEscape) {
            for byte in JSONString.unescapedName(document, name) { hash = mix(hash, UInt64(byte)) }
        } else {
            for offset in JSONString.contents(document, name) { hash = mix(hash, UInt64(document.byte(offset))) }
        }
        return hash
    }

    @inline(__always)
    private static func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let product = (hash ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }
}
