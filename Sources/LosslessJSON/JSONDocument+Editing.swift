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
            if case .move(let path, let target) = edit {
                try Self.move(path, to: target, &document, &round)
            } else {
                try Self.add(edit, &document, &round)
            }
        }
        return try document.applying(round)
    }

    private static func add(
        _ edit: JSONEdit, _ document: inout JSONDocument, _ round: inout EditRound
    ) throws(JSONEditError) {
        // An edit is refused only by a round that has others, and each part of it leaves less to do.
        while true {
            let added = try round.add(edit)
            if added == .whole { return }
            if added == .not, round.isFresh { throw .unexpectedDifferences([edit.path]) }
            document = try document.applying(round)
            round = EditRound(document)
        }
    }

    private static func move(
        _ path: JSONPath, to target: JSONPath, _ document: inout JSONDocument, _ round: inout EditRound
    ) throws(JSONEditError) {
        if path.count > 0, path.count == target.count, path.prefix(path.count - 1) == target.prefix(path.count - 1),
            !path.endsInIndex, case .name(let name) = target.step(target.count - 1)
        {
            return try add(.rename(path, to: name), &document, &round)
        }
        document = try document.applying(round)
        let taken = try document.taking(path)
        round = EditRound(document)
        try add(.remove(path), &document, &round)
        document = try document.applying(round)
        round = EditRound(document)
        // Into a fresh round everything goes.
        if try !round.add(taken, at: target) { throw .unexpectedDifferences([target]) }
    }

    /// The member or element at a path with its comments, for another place.
    private func taking(_ path: JSONPath) throws(JSONEditError) -> EditRound.Pending {
        var last: Spelling?
        Finder.forEachSpelling(of: path, in: self) { last = $0 }
        guard let last, last.container >= 0 else {
            throw path.isEmpty ? .notAMember(path: path) : .noSuchMember(path: path)
        }
        return Container(self, last.container).taking(last.name < 0 ? last.value : last.name)
    }

    /// The document that a round of edits gives, verified.
    func applying(_ round: EditRound) throws(JSONEditError) -> JSONDocument {
        let splices = round.splices()
        if splices.isEmpty { return self }
        // Ranges that overlap would be a fault: then nothing is written.
        var size = byteCount
        var nodes = nodeCount + 32
        var end = 0
        for splice in splices {
            if splice.range.lowerBound < end { throw .unexpectedDifferences(round.expectations.map(\.path)) }
            end = splice.range.upperBound
            size += splice.text.count - splice.range.count
            nodes += splice.text.count / 2
        }
        let edited: JSONDocument
        do throws(JSONSyntaxError) {
            edited = try JSONDocument(byteCount: size, nodeCount: nodes, options: options) { memory in
                write(splices, to: memory)
            }
        } catch {
            throw .unreadableResult(error)
        }
        if hasSameBytes(as: edited) { return self }
        try verify(edited, round.expectations)
        return edited
    }

    /// Writes the text with its splices, which are in order and do not overlap.
    private func write(_ splices: [Splice], to memory: UnsafeMutableRawPointer) {
        withBytes { old in
            // Sound: the sizes were summed up from the same splices.
            guard let start = old.baseAddress ?? UnsafeRawPointer(bitPattern: 1) else { return }
            var copied = 0
            var written = 0
            for splice in splices {
                let kept = splice.range.lowerBound - copied
                (memory + written).copyMemory(from: start + copied, byteCount: kept)
                written += kept
                splice.text.withUnsafeBytes { new in
                    if let start = new.baseAddress { (memory + written).copyMemory(from: start, byteCount: new.count) }
                }
                written += splice.text.count
                copied = splice.range.upperBound
            }
            (memory + written).copyMemory(from: start + copied, byteCount: old.count - copied)
        }
    }

    /// Checks that what was asked for, and nothing else, differs.
    private func verify(
        _ edited: JSONDocument, _ expectations: [EditRound.Expectation]
    ) throws(JSONEditError) {
        var wrong: [JSONPath] = []
        var keys = Set<UInt64>(minimumCapacity: expectations.count)
        for expectation in expectations {
            keys.insert(PathKeys(expectation.path).whole)
            let value = edited.value(at: expectation.path)
            let isMet =
                switch expectation.outcome {
                case .absent: value == nil || expectation.path.endsInIndex
                case .text(let text): value?.hasText(text) == true
                case .equivalent(let other): value?.isEquivalent(to: other) == true
                case .any: true
                }
            if !isMet { wrong.append(expectation.path) }
        }
        var differ = Differ(old: self, new: edited, entersArrays: true)
        differ.run()
        for path in differ.paths {
            if !covers(path, edited, keys, expectations) { wrong.append(path) }
        }
        if !wrong.isEmpty { throw .unexpectedDifferences(wrong) }
    }

    /// Whether a difference at `path` is one of those asked for, or lies in one, or is an object made on the way to
    /// some.
    private func covers(
        _ path: JSONPath, _ edited: JSONDocument, _ keys: Set<UInt64>, _ expectations: [EditRound.Expectation]
    ) -> Bool {
        let own = PathKeys(path)
        if keys.contains(own.whole) || own.beginnings.contains(where: keys.contains) { return true }
        // An array that gained or lost an element that was asked for.
        if edited.value(at: path)?.kind == .array {
            let key = path.key
            return expectations.contains { expectation in
                let other = expectation.path.key
                return other.count > key.count && other.starts(with: key) && other[key.count] == 0xFF
            }
        }
        guard find(path) == nil, let node = edited.value(at: path), node.kind == .object, node.count > 0 else {
            return false
        }
        return node.members.allSatisfy { covers(path.appending(.name($0.name)), edited, keys, expectations) }
    }
}

extension JSONPath {
    var endsInIndex: Bool { segments.last?.isName == false }
}
