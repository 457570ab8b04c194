/// A value in a document, or the name of a member: the document and a place on its tape. Cheap to copy; keeps the
/// document alive.
package struct JSONNode: Sendable {
    /// The document that holds the node.
    package let document: JSONDocument
    /// The index on the tape.
    let index: Int

    @inline(__always)
    init(document: JSONDocument, index: Int) {
        self.document = document
        self.index = index
    }

    /// What a value is.
    package enum Kind: UInt8, Sendable, CustomStringConvertible {
        /// The kinds of JSON, `true` and `false` apart.
        case null, `true`, `false`, number, string, array, object

        /// With an article, for messages: "a number".
        package var description: String {
            switch self {
            case .null: "null"
            case .true: "true"
            case .false: "false"
            case .number: "a number"
            case .string: "a string"
            case .array: "an array"
            case .object: "an object"
            }
        }
    }

    @inline(__always)
    var tapeNode: TapeNode { document.node(index) }

    /// What the value is.
    package var kind: Kind { tapeNode.kind }
    /// Whether the value is `null`.
    package var isNull: Bool { kind == .null }

    /// Where the value stands in the text.
    package var byteRange: Range<Int> {
        let node = tapeNode
        return Int(node.start)..<Int(node.end)
    }

    /// The line and column of the first byte. Linear in the offset.
    package var place: JSONPlace { document.place(at: Int(tapeNode.start)) }

    /// The spelling of the value in the text.
    package var text: String { document.withBytes { String(decoding: $0[byteRange], as: UTF8.self) } }

    /// The spelling of the value in the text.
    package var bytes: [UInt8] { document.withBytes { Array($0[byteRange]) } }

    /// Whether the value is spelled exactly so.
    package func hasText(_ bytes: [UInt8]) -> Bool {
        let range = byteRange
        return document.withBytes { text in
            bytes.withUnsafeBytes { other in
                range.count == other.count
                    && Memory.areEqual(text.baseAddress.map { $0 + range.lowerBound }, other.baseAddress, range.count)
            }
        }
    }

    // MARK: Inside

    /// The members in text order, repeated names included; empty if the value is no object.
    package var members: Members {
        let node = tapeNode
        return Members(
            document: document, index: node.kind == .object ? index + 1 : Int(node.next), end: Int(node.next))
    }

    /// The elements in text order; empty if the value is no array.
    package var elements: Elements {
        let node = tapeNode
        return Elements(
            document: document, index: node.kind == .array ? index + 1 : Int(node.next), end: Int(node.next))
    }

    /// How many members or elements there are directly inside; 0 for a scalar. Linear.
    package var count: Int {
        switch kind {
        case .object: members.reduce(0) { count, _ in count + 1 }
        case .array: elements.reduce(0) { count, _ in count + 1 }
        default: 0
        }
    }

    /// The members of an object: a sequence that can be walked again.
    package struct Members: Sequence, IteratorProtocol, Sendable {
        let document: JSONDocument
        var index: Int
        let end: Int

        /// The next member in text order.
        package mutating func next() -> JSONMember? {
            guard index < end else { return nil }
            let member = JSONMember(document: document, nameIndex: index)
            index = Int(document.node(index + 1).next)
            return member
        }
    }

    /// The elements of an array: a sequence that can be walked again.
    package struct Elements: Sequence, IteratorProtocol, Sendable {
        let document: JSONDocument
        var index: Int
        let end: Int

        /// The next element in text order.
        package mutating func next() -> JSONNode? {
            guard index < end else { return nil }
            let node = JSONNode(document: document, index: index)
            index = Int(document.node(index).next)
            return node
        }
    }

    /// Where the value is: the names and indices from the root, found by walking. Linear; for messages.
    package var path: JSONPath {
        var steps: [JSONPath.Step] = []
        var current = 0
        while current != index, current < document.nodeCount {
            let container = document.node(current)
            var child = current + 1
            var position = 0
            if container.kind == .object {
                // A name counts as its own member.
                while child < Int(container.next), index > child, index >= Int(document.node(child + 1).next) {
                    child = Int(document.node(child + 1).next)
                }
                guard child < Int(container.next) else { break }
                steps.append(.name(JSONMember(document: document, nameIndex: child).name))
                if index == child { break }
                current = child + 1
            } else if container.kind == .array {
                while child < Int(container.next), index >= Int(document.node(child).next) {
                    child = Int(document.node(child).next)
                    position += 1
                }
                guard child < Int(container.next) else { break }
                steps.append(.index(position))
                current = child
            } else {
                break
            }
        }
        return JSONPath(steps)
    }
}

/// A member of an object.
package struct JSONMember: Sendable {
    let document: JSONDocument
    let nameIndex: Int

    @inline(__always)
    init(document: JSONDocument, nameIndex: Int) {
        self.document = document
        self.nameIndex = nameIndex
    }

    /// The name, escapes resolved; a lone surrogate in it becomes U+FFFD.
    package var name: String { JSONString.lossy(document, nameIndex) }
    /// The name as a string node, for its place and its spelling.
    package var nameNode: JSONNode { JSONNode(document: document, index: nameIndex) }
    /// The value.
    package var value: JSONNode { JSONNode(document: document, index: nameIndex + 1) }
}
