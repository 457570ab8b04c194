/// Edits that can be made in one pass over a text, since none depends on another.
///
/// Each edit is added as if those before it had been made. One that would see a difference is refused (`add` returns
/// false) and begins the next round, on the text that this one gives. So a batch equals its edits one by one.
struct EditRound {
    let document: JSONDocument
    let trivia: Trivia

    /// New text for existing values and names, by tape index.
    private var replacements: [Int: [UInt8]] = [:]
    /// The entries to remove, by container.
    private var removals: [Int: Set<Int>] = [:]
    /// The entries to insert, by container and the entry they follow; -1 stands for the end.
    private var insertions: [Place: [Pending]] = [:]
    /// The containers with insertions.
    private var growing: Set<Int> = []
    /// What is written if the text has no value yet.
    private var newRoot: Pending?

    private struct Place: Hashable {
        var container: Int
        var anchor: Int
    }

    /// The paths of the edits so far, and all beginnings of them, in a form in which all spellings are equal.
    private var edited: [[UInt8]: Edited] = [:]
    private var beginnings: Set<[UInt8]> = []

    private enum Edited {
        case replaced(Int)
        case inserted(Pending)
        case other
    }

    /// The paths that may differ afterwards, and what has to stand there.
    private(set) var expectations: [Expectation] = []

    struct Expectation {
        var path: JSONPath
        /// The text that the value must have; nil if the path must be absent.
        var text: [UInt8]?
    }

    /// A member or element to be: raw text, or an object that grows while edits are added.
    final class Pending {
        let name: [UInt8]?
        var text: [UInt8]
        var members: [Pending]?

        init(name: [UInt8]?, text: [UInt8], members: [Pending]? = nil) {
            self.name = name
            self.text = text
            self.members = members
        }
    }

    init(_ document: JSONDocument) {
        self.document = document
        trivia = Trivia(document: document)
    }

    /// Whether the round changes nothing.
    var isEmpty: Bool {
        replacements.isEmpty && removals.isEmpty && insertions.isEmpty && newRoot == nil
    }

    // MARK: Adding

    /// Adds an edit; false if it has to wait for the next round.
    mutating func add(_ edit: JSONEdit) throws(JSONEditError) -> Bool {
        let key = edit.path.key
        if beginnings.contains(key) { return false }
        for end in edit.path.keyEnds where edited[Array(key[..<end])] != nil { return false }
        switch edit {
        case .set(let path, let text):
            let text = try Self.checked(text, for: path, in: document)
            switch edited[key] {
            case .replaced(let index):
                replacements[index] = text
                updateExpectation(path, text)
                return true
            case .inserted(let pending):
                pending.text = text
                updateExpectation(path, text)
                return true
            case .other: return false
            case nil: return try set(path, key, text)
            }
        case .remove(let path):
            if edited[key] != nil { return false }
            return try remove(path, key)
        case .rename(let path, let name):
            if edited[key] != nil { return false }
            return try rename(path, key, to: name)
        }
    }

    private mutating func note(_ path: JSONPath, _ key: [UInt8], _ what: Edited) {
        edited[key] = what
        for end in path.keyEnds { beginnings.insert(Array(key[..<end])) }
    }

    private mutating func updateExpectation(_ path: JSONPath, _ text: [UInt8]) {
        for index in expectations.indices where expectations[index].path.key == path.key {
            expectations[index].text = text
        }
    }

    /// The bytes of the one value in `text`.
    private static func checked(
        _ text: [UInt8], for path: JSONPath, in document: JSONDocument
    ) throws(JSONEditError) -> [UInt8] {
        var options = document.options
        options.allowsNoValue = false
        do throws(JSONSyntaxError) {
            let value = try JSONDocument(text, options: options)
            return value.root?.bytes ?? text
        } catch {
            throw .invalidValue(path: path, error)
        }
    }

    // MARK: Set

    private mutating func set(_ path: JSONPath, _ key: [UInt8], _ text: [UInt8]) throws(JSONEditError) -> Bool {
        var last: Spelling?
        Finder(document: document, path: path).forEachSpelling { last = $0 }
        if let last {
            if removals[last.container]?.contains(last.name < 0 ? last.value : last.name) == true { return false }
            // What already stands there is not touched.
            if !JSONNode(document: document, index: last.value).hasText(text) { replacements[last.value] = text }
            note(path, key, .replaced(last.value))
            expectations.append(Expectation(path: path, text: text))
            return true
        }
        return try insert(path, key, text)
    }

    private mutating func insert(_ path: JSONPath, _ key: [UInt8], _ text: [UInt8]) throws(JSONEditError) -> Bool {
        if document.nodeCount == 0 {
            guard path.segments.allSatisfy(\.isName) else { throw .noSuchElement(path: path) }
            if newRoot == nil { newRoot = Pending(name: nil, text: text, members: path.isEmpty ? nil : []) }
            guard let newRoot, newRoot.members != nil else { return path.isEmpty }
            if !path.isEmpty { add(path, from: 0, text, to: newRoot, key) }
            return true
        }
        // The deepest beginning of the path that is there.
        var container: JSONNode?
        var depth = path.count - 1
        while depth >= 0 {
            if let found = document.value(at: path.prefix(depth)) {
                container = found
                break
            }
            depth -= 1
        }
        guard let container else { throw .noSuchElement(path: path) }
        if !path.segments[depth].isName {
            guard container.kind == .array else {
                throw .notAContainer(path: path, found: container.kind, place: container.place)
            }
            return try append(path, key, text, to: container, at: depth)
        }
        guard container.kind == .object else {
            throw .notAContainer(path: path, found: container.kind, place: container.place)
        }
        guard path.segments[depth...].allSatisfy(\.isName) else { throw .noSuchElement(path: path) }
        if depth < path.count - 1, let sibling = flatSibling(of: path, upTo: depth) {
            if removals[sibling.container] != nil { return false }
            let pending = Pending(name: path.quoted(from: sibling.step), text: text)
            insertions[Place(container: sibling.container, anchor: sibling.anchor), default: []].append(pending)
            growing.insert(sibling.container)
            note(path, key, .inserted(pending))
            expectations.append(Expectation(path: path, text: text))
            return true
        }
        if removals[container.index] != nil { return false }
        let place = Place(container: container.index, anchor: -1)
        growing.insert(container.index)
        let holder = Pending(name: nil, text: [], members: insertions[place] ?? [])
        add(path, from: depth, text, to: holder, key)
        insertions[place] = holder.members
        return true
    }

    /// Adds the rest of a path, from a step on, below an object to be.
    private mutating func add(
        _ path: JSONPath, from step: Int, _ text: [UInt8], to object: Pending, _ key: [UInt8]
    ) {
        var object = object
        for position in step..<path.count {
            let name = path.quoted(position)
            if position == path.count - 1 {
                let pending = Pending(name: name, text: text)
                object.members?.append(pending)
                note(path, key, .inserted(pending))
            } else if let made = object.members?.last(where: { $0.name == name && $0.members != nil }) {
                object = made
            } else {
                let made = Pending(name: name, text: [], members: [])
                object.members?.append(made)
                object = made
            }
        }
        expectations.append(Expectation(path: path, text: text))
    }

    private mutating func append(
        _ path: JSONPath, _ key: [UInt8], _ text: [UInt8], to array: JSONNode, at depth: Int
    ) throws(JSONEditError) -> Bool {
        // Positions in an array that changes are those after the change.
        let arrayPath = path.prefix(depth)
        if beginnings.contains(arrayPath.key) || edited[arrayPath.key] != nil { return false }
        guard depth == path.count - 1, path.segments[depth].index == array.count else {
            throw .noSuchElement(path: path)
        }
        insertions[Place(container: array.index, anchor: -1), default: []].append(Pending(name: nil, text: text))
        growing.insert(array.index)
        note(arrayPath, arrayPath.key, .other)
        expectations.append(Expectation(path: path, text: text))
        return true
    }

    /// The last member that is written flat and shares all but the last name with `path`.
    private func flatSibling(of path: JSONPath, upTo depth: Int) -> (container: Int, anchor: Int, step: Int)? {
        for step in stride(from: depth, through: 0, by: -1) {
            if !path.segments[step].isName { return nil }
            guard let object = document.value(at: path.prefix(step)), object.kind == .object else { continue }
            let parent = path.joined[path.segments[step].start..<path.segments[path.count - 2].end] + [0x2E]
            var last: Int?
            for member in object.members {
                let node = document.node(member.nameIndex)
                if !node.has(TapeNode.hasEscape), Int(node.end &- node.start) - 2 < parent.count { continue }
                let name = JSONString.unescapedName(document, member.nameIndex)
                if name.starts(with: parent) { last = member.nameIndex }
            }
            if let last { return (object.index, last, step) }
        }
        return nil
    }

    // MARK: Remove and rename

    private mutating func remove(_ path: JSONPath, _ key: [UInt8]) throws(JSONEditError) -> Bool {
        if path.isEmpty { throw .notAMember(path: path) }
        var spellings: [Spelling] = []
        Finder(document: document, path: path).forEachSpelling { spellings.append($0) }
        if spellings.isEmpty { return true }
        for spelling in spellings where growing.contains(spelling.container) { return false }
        if spellings.contains(where: { $0.name < 0 }) {
            // Later edits of the array count with other positions.
            let arrayPath = path.prefix(path.count - 1)
            if beginnings.contains(arrayPath.key) || edited[arrayPath.key] != nil { return false }
            note(arrayPath, arrayPath.key, .other)
        }
        for spelling in spellings {
            let entry = spelling.name < 0 ? spelling.value : spelling.name
            // Neighbours on one line share white space: one at a time.
            if removals[spelling.container] != nil, !hasOwnLines(spelling.container) { return false }
            removals[spelling.container, default: []].insert(entry)
        }
        note(path, key, .other)
        expectations.append(Expectation(path: path, text: nil))
        return true
    }

    private func hasOwnLines(_ container: Int) -> Bool {
        let container = Container(document, container)
        return container.entries.allSatisfy { trivia.isFirstOnLine($0.start) }
    }

    private mutating func rename(
        _ path: JSONPath, _ key: [UInt8], to name: String
    ) throws(JSONEditError) -> Bool {
        guard let last = path.segments.last, last.isName else { throw .notAMember(path: path) }
        let target = path.prefix(path.count - 1).appending(.name(name))
        let targetKey = target.key
        if beginnings.contains(targetKey) || edited[targetKey] != nil { return false }
        if targetKey == key { return true }
        var spellings: [Spelling] = []
        Finder(document: document, path: path).forEachSpelling { spellings.append($0) }
        guard let counting = spellings.last else { throw .noSuchMember(path: path) }
        if document.value(at: target) != nil { throw .nameTaken(path: target) }
        for spelling in spellings {
            replacements[spelling.name] = target.quoted(from: spelling.step)
        }
        note(path, key, .other)
        note(target, targetKey, .other)
        expectations.append(Expectation(path: path, text: nil))
        let text = JSONNode(document: document, index: counting.value).bytes
        expectations.append(Expectation(path: target, text: text))
        return true
    }

    // MARK: The result

    /// The splices of the round, in text order, not overlapping.
    func splices() -> [Splice] {
        var splices: [Splice] = []
        for (index, text) in replacements {
            let node = document.node(index)
            splices.append(Splice(range: Int(node.start)..<Int(node.end), text: text))
        }
        for (container, entries) in removals {
            Container(document, container).appendRemovals(of: entries, to: &splices)
        }
        if !insertions.isEmpty || newRoot != nil {
            let style = Style(document)
            for (place, pending) in insertions {
                Container(document, place.container)
                    .appendInsertion(of: pending, after: place.anchor, style: style, to: &splices)
            }
            if let newRoot { splices.append(style.newRoot(newRoot)) }
        }
        // At one offset an insertion of a comma comes before one of a line.
        splices.sort { ($0.range.lowerBound, $0.order) < ($1.range.lowerBound, $1.order) }
        return splices
    }
}

/// A range of a text and what takes its place.
struct Splice {
    var range: Range<Int>
    var text: [UInt8]
    var order = 0
}

extension JSONPath {
    /// The first `count` steps.
    func prefix(_ count: Int) -> JSONPath { JSONPath(steps.prefix(count)) }

    /// A form that is equal for all spellings of a path: names joined by dots, indices marked by a byte that no text
    /// has.
    var key: [UInt8] {
        var key: [UInt8] = []
        for segment in segments {
            key.append(segment.isName ? 0x2E : 0xFF)
            if segment.isName {
                key += joined[segment.start..<segment.end]
            } else {
                key += String(segment.index).utf8
            }
        }
        return key
    }

    /// Where the proper beginnings of the path end in `key`, the root included.
    var keyEnds: [Int] {
        let key = key
        return key.indices.filter { key[$0] == 0x2E || key[$0] == 0xFF }
    }

    /// A name with its quotes.
    func quoted(_ step: Int) -> [UInt8] {
        let segment = segments[step]
        return JSONWriter.quoted(String(decoding: joined[segment.start..<segment.end], as: UTF8.self))
    }

    /// The names from a step on, joined by dots, with quotes.
    func quoted(from step: Int) -> [UInt8] {
        JSONWriter.quoted(String(decoding: joined[segments[step].start...], as: UTF8.self))
    }
}
