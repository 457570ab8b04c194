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
    /// The entries to insert, by container and the entry they follow (or `Place.end`, `Place.start`).
    private var insertions: [Place: [Pending]] = [:]
    /// The containers with insertions.
    private var growing: Set<Int> = []
    /// What is written if the text has no value yet.
    private var newRoot: Pending?

    private struct Place: Hashable {
        var container: Int
        var anchor: Int

        static let end = -1
        static let start = -2
    }

    /// How the lines of the document end, once it has been asked for.
    private var lineEnds: Trivia.LineEnds?

    /// The paths of the edits so far, and all beginnings of them, in a form in which all spellings are equal.
    private var edited: [UInt64: Edited] = [:]
    private var beginnings: Set<UInt64> = []

    private var hasDottedName = false
    /// Whether a text with line ends goes in, which can change what the usual line end is.
    private var isClosed = false
    /// Whether the edit being added is the first of the round.
    private var isAlone = false

    private enum Edited {
        case replaced(Int)
        case inserted(Pending)
        case other
    }

    /// The paths that may differ afterwards, and what has to stand there.
    private(set) var expectations: [Expectation] = []

    struct Expectation {
        enum Outcome {
            case absent
            case text([UInt8])
            case equivalent(JSONNode)
            /// Only that it may differ.
            case any
        }
        var path: JSONPath
        var outcome: Outcome
    }

    /// What came of adding an edit.
    enum Added {
        /// It is in the round.
        case whole
        /// A part is; the rest is to be added to the next round.
        case partly
        /// It depends on others of the round: it is to be added to the next one.
        case not
    }

    /// A member or element to be: raw text, or an object that grows while edits are added.
    final class Pending {
        let name: [UInt8]?
        var text: [UInt8]
        var members: [Pending]?
        /// Comments for lines of their own above, and for the end of the line.
        var commentsAbove: [[UInt8]] = []
        var commentBehind: [UInt8] = []
        /// The value in its old place and the indentation of its lines there, if it moves.
        var source: (value: JSONNode, indentation: [UInt8])?

        init(name: [UInt8]?, text: [UInt8], members: [Pending]? = nil) {
            self.name = name
            self.text = text
            self.members = members
        }

        func named(_ name: [UInt8]) -> Pending {
            let copy = Pending(name: name, text: text, members: members)
            copy.commentsAbove = commentsAbove
            copy.commentBehind = commentBehind
            copy.source = source
            return copy
        }

        var outcome: Expectation.Outcome { source.map { .equivalent($0.value) } ?? .text(text) }
    }

    init(_ document: JSONDocument) {
        self.document = document
        trivia = Trivia(document: document)
    }

    /// Whether the round changes nothing.
    var isEmpty: Bool {
        replacements.isEmpty && removals.isEmpty && insertions.isEmpty && newRoot == nil
    }

    /// Whether no edit has been added.
    var isFresh: Bool { edited.isEmpty }

    // MARK: Adding

    /// Adds an edit, as far as it does not depend on the others.
    mutating func add(_ edit: JSONEdit) throws(JSONEditError) -> Added {
        let key = PathKeys(edit.path)
        if overlaps(edit.path, key) { return .not }
        let added = try addSeparate(edit, key)
        if added != .not, edit.text.contains(where: Trivia.isLineEnd) { isClosed = true }
        return added
    }

    private mutating func addSeparate(_ edit: JSONEdit, _ key: PathKeys) throws(JSONEditError) -> Added {
        if case .set(let path, let text) = edit {
            let text = try Self.value(text, for: path, in: document).bytes
            switch edited[key.whole] {
            case .replaced(let index):
                replacements[index] = text
                updateExpectation(path, text)
                return .whole
            case .inserted(let pending):
                pending.text = text
                updateExpectation(path, text)
                return .whole
            case .other: return .not
            case nil: return try set(path, key, Pending(name: nil, text: text)) ? .whole : .not
            }
        }
        if edited[key.whole] != nil { return .not }
        switch edit {
        case .set, .move: preconditionFailure("handled elsewhere")
        case .adjust(let path, let text):
            return try adjust(path, key, to: Self.value(text, for: path, in: document))
        case .insert(let path, let text):
            let pending = try Pending(name: nil, text: Self.value(text, for: path, in: document).bytes)
            return try insertElement(path, pending) ? .whole : .not
        case .remove(let path):
            return try remove(path, key)
        case .rename(let path, let name):
            return try rename(path, key, to: name) ? .whole : .not
        }
    }

    /// Adds a member or element that was taken from elsewhere.
    mutating func add(_ moved: Pending, at path: JSONPath) throws(JSONEditError) -> Bool {
        let key = PathKeys(path)
        if overlaps(path, key) || edited[key.whole] != nil { return false }
        if path.endsInIndex { return try insertElement(path, moved) }
        if document.value(at: path) != nil { throw .nameTaken(path: path) }
        return try set(path, key, moved)
    }

    /// Adds a member of a text that has no value yet; false if its path is taken, or inside or around one that is.
    mutating func addNew(
        _ path: JSONPath, text: [UInt8], commentsAbove: [[UInt8]]
    ) throws(JSONEditError) -> Bool {
        let key = PathKeys(path)
        if path.isEmpty { throw .notAMember(path: path) }
        if overlaps(path, key) || edited[key.whole] != nil { return false }
        let new = Pending(name: nil, text: try Self.value(text, for: path, in: document).bytes)
        new.commentsAbove = commentsAbove
        return try insert(path, key, new)
    }

    /// Whether an earlier edit is about something inside or around a path.
    private func overlaps(_ path: JSONPath, _ key: PathKeys) -> Bool {
        if edited.isEmpty { return false }
        if isClosed { return true }
        // A name with a dot in it can be the flat sibling of other paths.
        if hasDottedName || path.hasDottedName { return true }
        if beginnings.contains(key.whole) { return true }
        for beginning in key.beginnings where edited[beginning] != nil { return true }
        return false
    }

    private mutating func note(_ path: JSONPath, _ key: PathKeys, _ what: Edited) {
        edited[key.whole] = what
        if path.hasDottedName { hasDottedName = true }
        beginnings.formUnion(key.beginnings)
    }

    private mutating func updateExpectation(_ path: JSONPath, _ text: [UInt8]) {
        for index in expectations.indices where expectations[index].path.key == path.key {
            expectations[index].outcome = .text(text)
        }
    }

    /// The one value in `text`.
    private static func value(
        _ text: [UInt8], for path: JSONPath, in document: JSONDocument
    ) throws(JSONEditError) -> JSONNode {
        var options = document.options
        options.allowsNoValue = false
        do throws(JSONSyntaxError) {
            let value = try JSONDocument(text, options: options)
            // Without `allowsNoValue` there is a root.
            return JSONNode(document: value, index: 0)
        } catch {
            throw .invalidValue(path: path, error)
        }
    }

    // MARK: Set

    private mutating func set(_ path: JSONPath, _ key: PathKeys, _ new: Pending) throws(JSONEditError) -> Bool {
        var last: Spelling?
        Finder.forEachSpelling(of: path, in: document) { last = $0 }
        if let last {
            if removals[last.container]?.contains(last.name < 0 ? last.value : last.name) == true { return false }
            // What already stands there is not touched.
            if !JSONNode(document: document, index: last.value).hasText(new.text) {
                replacements[last.value] = new.text
            }
            note(path, key, .replaced(last.value))
            expectations.append(Expectation(path: path, outcome: new.outcome))
            return true
        }
        return try insert(path, key, new)
    }

    private mutating func insert(_ path: JSONPath, _ key: PathKeys, _ new: Pending) throws(JSONEditError) -> Bool {
        if document.nodeCount == 0 {
            guard path.segments.allSatisfy(\.isName) else { throw .noSuchElement(path: path) }
            if path.isEmpty {
                newRoot = new
                note(path, key, .inserted(new))
                expectations.append(Expectation(path: path, outcome: new.outcome))
            } else {
                let root = newRoot ?? Pending(name: nil, text: [], members: [])
                newRoot = root
                add(new, path, from: 0, to: root, key)
            }
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
            guard depth == path.count - 1, path.segments[depth].index == container.count else {
                throw .noSuchElement(path: path)
            }
            return try insertElement(path, new)
        }
        guard container.kind == .object else {
            throw .notAContainer(path: path, found: container.kind, place: container.place)
        }
        guard path.segments[depth...].allSatisfy(\.isName) else { throw .noSuchElement(path: path) }
        if depth < path.count - 1, !hasPendingParent(path, from: depth, in: container.index),
            let sibling = flatSibling(of: path, upTo: depth)
        {
            if removals[sibling.container] != nil || !layoutIsSettled(in: sibling.container) { return false }
            let pending = new.named(path.quoted(from: sibling.step))
            let place = Place(container: sibling.container, anchor: sibling.anchor)
            // Beside the last of its siblings, be it one of this round; before what others put behind that anchor.
            let beginning = path.quoted(sibling.step..<(path.count - 1)).dropLast() + [0x2E]
            var beside = insertions[place] ?? []
            let position = beside.lastIndex { $0.name?.starts(with: beginning) == true }.map { $0 + 1 } ?? 0
            beside.insert(pending, at: position)
            insertions[place] = beside
            growing.insert(sibling.container)
            note(path, key, .inserted(pending))
            expectations.append(Expectation(path: path, outcome: new.outcome))
            return true
        }
        if removals[container.index] != nil || !layoutIsSettled(in: container.index) { return false }
        let place = Place(container: container.index, anchor: Place.end)
        growing.insert(container.index)
        let holder = Pending(name: nil, text: [], members: insertions[place] ?? [])
        add(new, path, from: depth, to: holder, key)
        insertions[place] = holder.members
        return true
    }

    /// Adds a member for the rest of a path, from a step on, below an object to be.
    private mutating func add(
        _ new: Pending, _ path: JSONPath, from step: Int, to object: Pending, _ key: PathKeys
    ) {
        var object = object
        for position in step..<(path.count - 1) {
            let name = path.quoted(position)
            if let made = object.members?.last(where: { $0.name == name && $0.members != nil }) {
                object = made
            } else {
                let made = Pending(name: name, text: [], members: [])
                object.members?.append(made)
                object = made
            }
        }
        let pending = new.named(path.quoted(path.count - 1))
        object.members?.append(pending)
        note(path, key, .inserted(pending))
        expectations.append(Expectation(path: path, outcome: new.outcome))
    }

    private mutating func insertElement(_ path: JSONPath, _ new: Pending) throws(JSONEditError) -> Bool {
        guard let index = path.segments.last?.index, path.endsInIndex else { throw .noSuchElement(path: path) }
        // Positions in an array that changes are those after the change.
        let arrayPath = path.prefix(path.count - 1)
        let arrayKey = PathKeys(arrayPath)
        if beginnings.contains(arrayKey.whole) || edited[arrayKey.whole] != nil { return false }
        guard let array = document.value(at: arrayPath) else { throw .noSuchElement(path: path) }
        guard array.kind == .array else {
            throw .notAContainer(path: path, found: array.kind, place: array.place)
        }
        var anchor = Place.start
        var position = 0
        for element in array.elements where position < index {
            anchor = element.index
            position += 1
        }
        guard position == index else { throw .noSuchElement(path: path) }
        if !layoutIsSettled(in: array.index) { return false }
        insertions[Place(container: array.index, anchor: anchor), default: []].append(new)
        growing.insert(array.index)
        note(arrayPath, arrayKey, .other)
        expectations.append(Expectation(path: path, outcome: new.outcome))
        return true
    }

    /// Whether no earlier edit of the round can have changed how a new entry of a container is laid out.
    private mutating func layoutIsSettled(in container: Int) -> Bool {
        if isFresh { return true }
        let ends = lineEnds ?? trivia.lineEnds
        lineEnds = ends
        if ends.areMixed { return false }
        if growing.contains(container) { return true }
        // A container that shows no indentation looks for it in those around it.
        let layout = Container(document, container)
        return container == 0 || layout.isOneLine || layout.step != nil
    }

    /// Whether this round makes all the objects between a container and the last name of a path.
    private func hasPendingParent(_ path: JSONPath, from step: Int, in container: Int) -> Bool {
        var members = insertions[Place(container: container, anchor: Place.end)] ?? []
        for position in step..<(path.count - 1) {
            let name = path.quoted(position)
            guard let made = members.last(where: { $0.name == name && $0.members != nil }) else { return false }
            members = made.members ?? []
        }
        return true
    }

    /// The last member that is written flat and shares all but the last name with `path`.
    private func flatSibling(of path: JSONPath, upTo depth: Int) -> (container: Int, anchor: Int, step: Int)? {
        for step in stride(from: depth, through: 0, by: -1) {
            if !path.segments[step].isName { return nil }
            guard let object = document.value(at: path.prefix(step)), object.kind == .object else { continue }
            let parent = path.joined[path.segments[step].start..<path.segments[path.count - 2].end] + [0x2E]
            var last: Int?
            parent.withUnsafeBytes { parent in
                for member in object.members where document.isName(member.nameIndex, beginningWith: parent) {
                    last = member.nameIndex
                }
            }
            if let last { return (object.index, last, step) }
        }
        return nil
    }

    // MARK: Adjust

    private mutating func adjust(
        _ path: JSONPath, _ key: PathKeys, to value: JSONNode
    ) throws(JSONEditError) -> Added {
        var last: Spelling?
        Finder.forEachSpelling(of: path, in: document) { last = $0 }
        guard let last else {
            return try insert(path, key, Pending(name: nil, text: value.bytes)) ? .whole : .not
        }
        if removals[last.container]?.contains(last.name < 0 ? last.value : last.name) == true { return .not }
        isAlone = isFresh
        note(path, key, .other)
        let isWhole = adjust(last.value, to: value)
        expectations.append(Expectation(path: path, outcome: isWhole ? .equivalent(value) : .any))
        return isWhole ? .whole : .partly
    }

    /// Makes a value equal to another one; false if a part of it has to wait for the next round.
    private mutating func adjust(_ index: Int, to value: JSONNode) -> Bool {
        let node = JSONNode(document: document, index: index)
        if node.isEquivalent(to: value) { return true }
        switch (node.kind, value.kind) {
        case (.object, .object): return adjustObject(node, to: value)
        case (.array, .array): return adjustArray(node, to: value)
        default:
            replacements[index] = value.bytes
            return true
        }
    }

    private mutating func adjustObject(_ node: JSONNode, to value: JSONNode) -> Bool {
        var wanted: [[UInt8]: JSONMember] = [:]
        for member in value.members { wanted[JSONString.unescapedName(value.document, member.nameIndex)] = member }
        var present: [[UInt8]: Int] = [:]
        var gone: Set<Int> = []
        for member in node.members {
            let name = JSONString.unescapedName(document, member.nameIndex)
            present[name] = member.nameIndex
            if wanted[name] == nil { gone.insert(member.nameIndex) }
        }
        var isWhole = true
        for (name, member) in wanted {
            guard let existing = present[name] else { continue }
            if !adjust(existing + 1, to: member.value) { isWhole = false }
        }
        let new = value.members.filter { member in
            let name = JSONString.unescapedName(value.document, member.nameIndex)
            return present[name] == nil && wanted[name]?.nameIndex == member.nameIndex
        }
        if !gone.isEmpty {
            if hasOwnLines(node.index) {
                removals[node.index] = gone
            } else {
                // Neighbours on one line share white space: one at a time.
                removals[node.index] = gone.min().map { [$0] } ?? []
                if gone.count > 1 { return false }
            }
            return isWhole && new.isEmpty
        }
        if !new.isEmpty {
            if !isAlone, !layoutIsSettled(in: node.index) { return false }
            insertions[Place(container: node.index, anchor: Place.end)] = new.map {
                Pending(name: $0.nameNode.bytes, text: $0.value.bytes)
            }
            growing.insert(node.index)
        }
        return isWhole
    }

    private mutating func adjustArray(_ node: JSONNode, to value: JSONNode) -> Bool {
        var old = Array(node.elements)[...]
        var new = Array(value.elements)[...]
        var before = Place.start
        while let mine = old.first, let other = new.first, mine.isEquivalent(to: other) {
            before = mine.index
            old.removeFirst()
            new.removeFirst()
        }
        while let mine = old.last, let other = new.last, mine.isEquivalent(to: other) {
            old.removeLast()
            new.removeLast()
        }
        var isWhole = true
        while let mine = old.first, let other = new.first {
            if !adjust(mine.index, to: other) { isWhole = false }
            before = mine.index
            old.removeFirst()
            new.removeFirst()
        }
        if !new.isEmpty {
            if !isAlone, !layoutIsSettled(in: node.index) { return false }
            insertions[Place(container: node.index, anchor: before)] = new.map { Pending(name: nil, text: $0.bytes) }
            growing.insert(node.index)
        }
        if let first = old.first {
            let isSimple = hasOwnLines(node.index)
            removals[node.index] = isSimple ? Set(old.map(\.index)) : [first.index]
            if !isSimple, old.count > 1 { return false }
        }
        return isWhole
    }

    // MARK: Remove and rename

    private mutating func remove(_ path: JSONPath, _ key: PathKeys) throws(JSONEditError) -> Added {
        if path.isEmpty { throw .notAMember(path: path) }
        var spellings: [Spelling] = []
        Finder.forEachSpelling(of: path, in: document) { spellings.append($0) }
        if spellings.isEmpty { return .whole }
        for spelling in spellings {
            if growing.contains(spelling.container) { return .not }
            // Neighbours on one line share white space: one at a time.
            if removals[spelling.container] != nil, !hasOwnLines(spelling.container) { return .not }
        }
        if spellings.contains(where: { $0.name < 0 }) {
            // Later edits of the array count with other positions.
            let arrayPath = path.prefix(path.count - 1)
            let arrayKey = PathKeys(arrayPath)
            if beginnings.contains(arrayKey.whole) || edited[arrayKey.whole] != nil { return .not }
            note(arrayPath, arrayKey, .other)
        }
        note(path, key, .other)
        var isWhole = true
        for spelling in spellings {
            if removals[spelling.container] != nil, !hasOwnLines(spelling.container) {
                isWhole = false
                continue
            }
            removals[spelling.container, default: []].insert(spelling.name < 0 ? spelling.value : spelling.name)
        }
        expectations.append(Expectation(path: path, outcome: isWhole ? .absent : .any))
        return isWhole ? .whole : .partly
    }

    private func hasOwnLines(_ container: Int) -> Bool {
        let container = Container(document, container)
        guard let last = container.entries.last else { return true }
        // The closing bracket, too: else it follows the last one that stays.
        return container.entries.allSatisfy { trivia.isFirstOnLine($0.start) }
            && trivia.tail(max(last.end, last.comma + 1)).reachesLineEnd
    }

    private mutating func rename(
        _ path: JSONPath, _ key: PathKeys, to name: String
    ) throws(JSONEditError) -> Bool {
        guard let last = path.segments.last, last.isName else { throw .notAMember(path: path) }
        let target = path.prefix(path.count - 1).appending(.name(name))
        let targetKey = PathKeys(target)
        if beginnings.contains(targetKey.whole) || edited[targetKey.whole] != nil { return false }
        if targetKey.whole == key.whole { return true }
        var spellings: [Spelling] = []
        Finder.forEachSpelling(of: path, in: document) { spellings.append($0) }
        guard let counting = spellings.last else { throw .noSuchMember(path: path) }
        if document.value(at: target) != nil { throw .nameTaken(path: target) }
        for spelling in spellings {
            replacements[spelling.name] = target.quoted(from: spelling.step)
        }
        note(path, key, .other)
        note(target, targetKey, .other)
        expectations.append(Expectation(path: path, outcome: .absent))
        let text = JSONNode(document: document, index: counting.value).bytes
        expectations.append(Expectation(path: target, outcome: .text(text)))
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
            for index in growing {
                let container = Container(document, index)
                var places = insertions.filter { $0.key.container == index }
                // What follows the last entry comes before what goes to the end.
                if let last = container.entries.last?.index,
                    let beside = places.removeValue(forKey: Place(container: index, anchor: last))
                {
                    places[Place(container: index, anchor: Place.end), default: []].insert(contentsOf: beside, at: 0)
                }
                for (place, pending) in places {
                    container.appendInsertion(of: pending, after: place.anchor, style: style, to: &splices)
                }
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

    /// Whether a single name contains a dot.
    var hasDottedName: Bool {
        segments.contains { segment in joined[segment.start..<segment.end].contains(0x2E) }
    }

    /// A name with its quotes.
    func quoted(_ step: Int) -> [UInt8] {
        let segment = segments[step]
        return JSONWriter.quoted(String(decoding: joined[segment.start..<segment.end], as: UTF8.self))
    }

    /// The names from a step on, joined by dots, with quotes.
    func quoted(from step: Int) -> [UInt8] { quoted(step..<count) }

    /// The names of some steps, joined by dots, with quotes.
    func quoted(_ steps: Range<Int>) -> [UInt8] {
        let range = segments[steps.lowerBound].start..<segments[steps.upperBound - 1].end
        return JSONWriter.quoted(String(decoding: joined[range], as: UTF8.self))
    }
}

/// Hashes of a path and its beginnings that are equal for all spellings: names joined by dots.
///
/// Seeded anew in each process. Should two paths ever share one, their edits are made one after the other, or the
/// comparison after the edit refuses the result.
struct PathKeys {
    /// The hash of the whole path.
    private(set) var whole: UInt64
    /// Those of its proper beginnings, the root's first.
    private(set) var beginnings: [UInt64] = []

    private static let seed = UInt64.random(in: 1...UInt64.max)

    init(_ path: JSONPath) {
        whole = Self.seed
        beginnings.reserveCapacity(path.count)
        for segment in path.segments {
            beginnings.append(whole)
            if segment.isName {
                mix(0x2E)
                for byte in path.joined[segment.start..<segment.end] {
                    if byte == 0x2E { beginnings.append(whole) }
                    mix(UInt64(byte))
                }
            } else {
                mix(UInt64(segment.index) | 1 << 63)
            }
        }
    }

    @inline(__always)
    private mutating func mix(_ word: UInt64) {
        let product = (whole ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        whole = product.high ^ product.low
    }
}
