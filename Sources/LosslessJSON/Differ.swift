/// The search for what differs between two documents.
struct Differ {
    let old: JSONDocument
    let new: JSONDocument
    /// Whether arrays with the same number of elements are compared element by element. Else one that differs is one
    /// path.
    var entersArrays = false
    private(set) var paths: [JSONPath] = []

    /// The steps down to what is being compared; names by their index in a document.
    private enum Step {
        case name(JSONDocument, Int)
        case index(Int)
    }
    private var steps: [Step] = []

    init(old: JSONDocument, new: JSONDocument, entersArrays: Bool = false) {
        self.old = old
        self.new = new
        self.entersArrays = entersArrays
    }

    /// Compares the whole documents. A document without a value counts as an empty object.
    mutating func run() {
        switch (old.nodeCount > 0, new.nodeCount > 0) {
        case (false, false): return
        case (true, true): compare(0, 0)
        case (true, false): reportAll(in: old)
        case (false, true): reportAll(in: new)
        }
    }

    private mutating func reportAll(in document: JSONDocument) {
        guard let root = document.root else { return }
        if root.kind != .object { return report() }
        for member in root.members { report(document, member.nameIndex) }
    }

    private mutating func report() {
        paths.append(
            JSONPath(
                steps.map { step in
                    switch step {
                    case .name(let document, let index): .name(JSONString.lossy(document, index))
                    case .index(let index): .index(index)
                    }
                }))
    }

    private mutating func report(_ document: JSONDocument, _ name: Int) {
        steps.append(.name(document, name))
        report()
        steps.removeLast()
    }

    private mutating func compare(_ i: Int, _ j: Int) {
        let a = old.node(i)
        let b = new.node(j)
        let length = Int(a.end &- a.start)
        if length == Int(b.end &- b.start), old.sameBytes(Int(a.start), length, in: new, at: Int(b.start)) { return }
        if a.kind == .object, b.kind == .object { return compareObjects(i, j) }
        if entersArrays, a.kind == .array, b.kind == .array { return compareArrays(i, j) }
        if !Equivalence.areEqual(old, i, new, j) { report() }
    }

    private mutating func compareArrays(_ i: Int, _ j: Int) {
        let left = JSONNode(document: old, index: i).elements.map(\.index)
        let right = JSONNode(document: new, index: j).elements.map(\.index)
        if left.count != right.count { return report() }
        for position in left.indices {
            steps.append(.index(position))
            compare(left[position], right[position])
            steps.removeLast()
        }
    }

    private mutating func compareMember(_ i: Int, _ j: Int) {
        let a = old.node(i + 1)
        let b = new.node(j + 1)
        let length = Int(a.end &- a.start)
        if length == Int(b.end &- b.start), old.sameBytes(Int(a.start), length, in: new, at: Int(b.start)) { return }
        steps.append(.name(new, j))
        compare(i + 1, j + 1)
        steps.removeLast()
    }

    private mutating func compareObjects(_ object: Int, _ other: Int) {
        // Nearly always most members stand in the same order: those before and behind the first change are pairs.
        let oldEnd = Int(old.node(object).next)
        let newEnd = Int(new.node(other).next)
        var i = object + 1
        var j = other + 1
        while i < oldEnd, j < newEnd, JSONString.areEqual(old, i, new, j) {
            compareMember(i, j)
            i = Int(old.node(i + 1).next)
            j = Int(new.node(j + 1).next)
        }
        if i >= oldEnd, j >= newEnd { return }
        var left = names(in: old, from: i, to: oldEnd)[...]
        var right = names(in: new, from: j, to: newEnd)[...]
        while let last = left.last, let otherLast = right.last, JSONString.areEqual(old, last, new, otherLast) {
            compareMember(last, otherLast)
            left.removeLast()
            right.removeLast()
        }
        compareUnordered(left, right)
    }

    private func names(in document: JSONDocument, from start: Int, to end: Int) -> [Int] {
        var names: [Int] = []
        var index = start
        while index < end {
            names.append(index)
            index = Int(document.node(index + 1).next)
        }
        return names
    }

    /// The members between the pairs, by name. Those of one name are compared in their order, each with each, since
    /// which of them counts depends on how they are looked up.
    private mutating func compareUnordered(_ left: ArraySlice<Int>, _ right: ArraySlice<Int>) {
        var others: [[UInt8]: [Int]] = [:]
        for index in right { others[JSONString.unescapedName(new, index), default: []].append(index) }
        var mine: [[UInt8]: [Int]] = [:]
        var common: [[UInt8]] = []
        for index in left {
            let name = JSONString.unescapedName(old, index)
            if mine[name] == nil, others[name] != nil { common.append(name) }
            mine[name, default: []].append(index)
        }
        let crossing = crossing(common, right)
        var reported = Set<[UInt8]>()
        for index in left {
            let name = JSONString.unescapedName(old, index)
            guard let theirs = others[name], theirs.count == mine[name]?.count, !crossing.contains(name) else {
                if reported.insert(name).inserted { report(old, index) }
                continue
            }
            if let pair = mine[name]?.firstIndex(of: index) { compareMember(index, theirs[pair]) }
        }
        for index in right {
            let name = JSONString.unescapedName(new, index)
            if mine[name] == nil, reported.insert(name).inserted { report(new, index) }
        }
    }

    /// The names that stand in both but in another order, one being the dotted beginning of the other ("a" and "a.b"):
    /// they can spell the same path, and then the later one counts, so that their order matters.
    private func crossing(_ common: [[UInt8]], _ right: ArraySlice<Int>) -> Set<[UInt8]> {
        guard common.contains(where: { $0.contains(0x2E) }) else { return [] }
        var position: [[UInt8]: Int] = [:]
        for (order, index) in right.enumerated() { position[JSONString.unescapedName(new, index)] = order }
        var mine: [[UInt8]: Int] = [:]
        for (order, name) in common.enumerated() { mine[name] = order }
        var crossing = Set<[UInt8]>()
        for (order, name) in common.enumerated() {
            for dot in name.indices where name[dot] == 0x2E {
                let beginning = Array(name[..<dot])
                guard let other = mine[beginning], let a = position[name], let b = position[beginning] else { continue }
                if (order < other) != (a < b) {
                    crossing.insert(name)
                    crossing.insert(beginning)
                }
            }
        }
        return crossing
    }
}

extension JSONDocument {
    /// The paths that differ between two texts: raw member names from the root, in no order that means anything.
    ///
    /// Order of members and spelling of equal values do not count. An array or scalar that changed is one path, an
    /// object that came or went as well. Subtrees of equal bytes are skipped by comparing memory, so that the cost is
    /// close to a comparison of the two texts. A name that stands twice is reported when any of its values changed,
    /// came or went; so are two names that can spell one path (`a` and `a.b`) when they changed places.
    package static func differences(from old: JSONDocument, to new: JSONDocument) -> [JSONPath] {
        var differ = Differ(old: old, new: new)
        differ.run()
        return differ.paths
    }
}
