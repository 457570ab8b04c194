/// Whether two values are the same JSON value.
enum Equivalence {
    static func areEqual(_ left: JSONDocument, _ leftIndex: Int, _ right: JSONDocument, _ rightIndex: Int) -> Bool {
        let a = left.node(leftIndex)
        let b = right.node(rightIndex)
        guard a.kind == b.kind else { return false }
        let length = Int(a.end &- a.start)
        if length == Int(b.end &- b.start), left.sameBytes(Int(a.start), length, in: right, at: Int(b.start)) {
            return true
        }
        switch a.kind {
        case .null, .true, .false: return true
        case .number: return JSONNumber.areEqual(left, leftIndex, right, rightIndex)
        case .string: return JSONString.areEqual(left, leftIndex, right, rightIndex)
        case .array:
            var i = leftIndex + 1
            var j = rightIndex + 1
            while i < Int(a.next), j < Int(b.next) {
                if !areEqual(left, i, right, j) { return false }
                i = Int(left.node(i).next)
                j = Int(right.node(j).next)
            }
            return i >= Int(a.next) && j >= Int(b.next)
        case .object: return objectsAreEqual(left, leftIndex, right, rightIndex)
        }
    }

    private static func objectsAreEqual(
        _ left: JSONDocument, _ leftIndex: Int, _ right: JSONDocument, _ rightIndex: Int
    ) -> Bool {
        // Usually both have the same names in the same order.
        if haveSameNames(left, leftIndex, right, rightIndex) {
            let end = Int(left.node(leftIndex).next)
            var i = leftIndex + 1
            var j = rightIndex + 1
            while i < end {
                // Each pair is compared once, or deep texts would cost twice as much with each level.
                if !areEqual(left, i + 1, right, j + 1), !isHidden(left, i, before: end) { return false }
                i = Int(left.node(i + 1).next)
                j = Int(right.node(j + 1).next)
            }
            return true
        }
        // Else by name; a value that a later one of the same name hides does not count.
        var counting: [[UInt8]: Int] = [:]
        for member in JSONNode(document: left, index: leftIndex).members {
            counting[JSONString.unescapedName(left, member.nameIndex)] = member.nameIndex + 1
        }
        var others: [[UInt8]: Int] = [:]
        for member in JSONNode(document: right, index: rightIndex).members {
            let name = JSONString.unescapedName(right, member.nameIndex)
            others[name] = member.nameIndex + 1
        }
        guard counting.count == others.count else { return false }
        for (name, value) in counting {
            guard let other = others[name], areEqual(left, value, right, other) else { return false }
        }
        return true
    }

    /// Whether two objects have the same names in the same order.
    static func haveSameNames(
        _ left: JSONDocument, _ leftIndex: Int, _ right: JSONDocument, _ rightIndex: Int
    ) -> Bool {
        let leftEnd = Int(left.node(leftIndex).next)
        let rightEnd = Int(right.node(rightIndex).next)
        var i = leftIndex + 1
        var j = rightIndex + 1
        while i < leftEnd, j < rightEnd {
            if !JSONString.areEqual(left, i, right, j) { return false }
            i = Int(left.node(i + 1).next)
            j = Int(right.node(j + 1).next)
        }
        return i >= leftEnd && j >= rightEnd
    }

    /// Whether the name at `index` stands again later in its object, which ends before `end`.
    static func isHidden(_ document: JSONDocument, _ index: Int, before end: Int) -> Bool {
        var later = Int(document.node(index + 1).next)
        while later < end {
            if JSONString.areEqual(document, index, document, later) { return true }
            later = Int(document.node(later + 1).next)
        }
        return false
    }
}
