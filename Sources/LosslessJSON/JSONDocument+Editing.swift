extension JSONDocument {
    /// Makes edits, in their order, all or none; the result is a scanned document.
    ///
    /// Every byte outside the members concerned, and the comments that belong to them, stays. The batch gives what its
    /// edits give one by one. Before it is returned, the text is scanned and compared with this one; should anything
    /// differ that no edit asked for, the call throws. Returns this document if nothing changes. Linear, however many
    /// edits there are, as long as they do not build on one another.
    package func edited(_ edits: [JSONEdit]) throws(JSONEditError) -> JSONDocument {
        var document = self
        var round = EditRound(self)
        for edit in edits {
            if try round.add(edit) { continue }
            document = try document.applying(round)
            round = EditRound(document)
            // The first edit of a round never has to wait.
            _ = try round.add(edit)
        }
        return try document.applying(round)
    }

    private func applying(_ round: EditRound) throws(JSONEditError) -> JSONDocument {
        let splices = round.splices()
        if splices.isEmpty { return self }
        var text: [UInt8] = []
        text.reserveCapacity(splices.reduce(byteCount) { $0 + $1.text.count })
        withBytes { old in
            var copied = 0
            for splice in splices {
                // Ranges that touch the same bytes would be a fault; the comparison below finds what comes of it.
                let start = max(copied, splice.range.lowerBound)
                text += old[copied..<start]
                text += splice.text
                copied = max(start, splice.range.upperBound)
            }
            text += old[copied...]
        }
        if hasSameBytes(as: text) { return self }
        let edited: JSONDocument
        do throws(JSONSyntaxError) {
            edited = try JSONDocument(text, options: options)
        } catch {
            throw .unreadableResult(error)
        }
        try verify(edited, round.expectations)
        return edited
    }

    /// Checks that what was asked for, and nothing else, differs.
    private func verify(
        _ edited: JSONDocument, _ expectations: [EditRound.Expectation]
    ) throws(JSONEditError) {
        var wrong: [JSONPath] = []
        var keys = Set<[UInt8]>()
        for expectation in expectations {
            keys.insert(expectation.path.key)
            if let text = expectation.text {
                if edited.value(at: expectation.path)?.hasText(text) != true { wrong.append(expectation.path) }
            } else if !expectation.path.endsInIndex, edited.value(at: expectation.path) != nil {
                wrong.append(expectation.path)
            }
        }
        var differ = Differ(old: self, new: edited, entersArrays: true)
        differ.run()
        for path in differ.paths {
            if !covers(path, edited, keys) { wrong.append(path) }
        }
        if !wrong.isEmpty { throw .unexpectedDifferences(wrong) }
    }

    /// Whether a difference at `path` is one of those asked for, or lies in one, or is an object made on the way to
    /// some.
    private func covers(_ path: JSONPath, _ edited: JSONDocument, _ keys: Set<[UInt8]>) -> Bool {
        let key = path.key
        if keys.contains(key) { return true }
        for end in path.keyEnds where keys.contains(Array(key[..<end])) { return true }
        // An array that gained or lost an element that was asked for.
        let elements = keys.filter { $0.count > key.count && $0.starts(with: key) && $0[key.count] == 0xFF }
        if !elements.isEmpty { return true }
        guard find(path) == nil, let node = edited.value(at: path), node.kind == .object, node.count > 0 else {
            return false
        }
        return node.members.allSatisfy { covers(path.appending(.name($0.name)), edited, keys) }
    }
}

extension JSONPath {
    var endsInIndex: Bool { segments.last?.isName == false }
}
