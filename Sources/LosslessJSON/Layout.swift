/// How new entries are laid out in a text.
struct Style {
    let document: JSONDocument
    let lineEnd: [UInt8]

    init(_ document: JSONDocument) {
        self.document = document
        lineEnd = Trivia(document: document).lineEnds.usual
    }

    /// The indentation step inside a container: its own, else that of the nearest container around it that shows one,
    /// else two spaces.
    func step(in container: Container) -> [UInt8] {
        if let step = container.step { return step }
        var chain: [Int] = []
        var index = 0
        // The containers around it, from the root.
        while index < document.nodeCount, index != container.index {
            let node = document.node(index)
            if container.index < Int(node.next), node.kind == .object || node.kind == .array {
                chain.append(index)
                index += 1
            } else {
                index = Int(node.next)
            }
        }
        for outer in chain.reversed() {
            if let step = Container(document, outer).step { return step }
        }
        return [0x20, 0x20]
    }

    /// The text of an entry with its comments and, if asked for, a comma; nested objects one member a line if
    /// `indentation` is given, else on one line.
    func text(
        _ pending: EditRound.Pending, indentation: [UInt8]?, step: [UInt8], comma: Bool = false
    ) -> [UInt8] {
        var text: [UInt8] = []
        // A value that moves is indented anew, line by line.
        func indented(_ text: [UInt8]) -> [UInt8] {
            guard let indentation, let old = pending.source?.indentation, old != indentation else { return text }
            return Self.replacing(old, by: indentation, in: text)
        }
        for comment in pending.commentsAbove {
            text += indentation.map { indented(comment) + lineEnd + $0 } ?? Self.block(comment) + [0x20]
        }
        text += pending.name.map { $0 + [0x3A, 0x20] } ?? []
        if let members = pending.members {
            text.append(0x7B)
            let inner = indentation.map { $0 + step }
            for (position, member) in members.enumerated() {
                text += inner.map { lineEnd + $0 } ?? [0x20]
                text += self.text(member, indentation: inner, step: step, comma: position < members.count - 1)
            }
            text += indentation.map { lineEnd + $0 } ?? [0x20]
            text.append(0x7D)
        } else {
            text += indented(pending.text)
        }
        if comma { text.append(0x2C) }
        if !pending.commentBehind.isEmpty {
            text.append(0x20)
            text += indentation == nil ? Self.block(pending.commentBehind) : pending.commentBehind
        }
        return text
    }

    /// Changes what the lines of a text begin with, the first one left out.
    private static func replacing(_ old: [UInt8], by new: [UInt8], in text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        for line in text.split(separator: 0x0A, omittingEmptySubsequences: false) {
            if result.isEmpty, line.startIndex == 0 {
                result += line
            } else {
                result.append(0x0A)
                result += line.starts(with: old) ? new + line.dropFirst(old.count) : Array(line)
            }
        }
        return result
    }

    /// A comment in a form that does not end its line.
    private static func block(_ comment: [UInt8]) -> [UInt8] {
        guard comment.starts(with: [0x2F, 0x2F]) else { return comment }
        var inner = Array(comment.dropFirst(2))
        for position in inner.indices.dropLast() where inner[position] == 0x2A && inner[position + 1] == 0x2F {
            inner[position + 1] = 0x20
        }
        while let last = inner.last, last == 0x2F || Trivia.isBlank(last) { inner.removeLast() }
        return [0x2F, 0x2A] + inner + [0x20, 0x2A, 0x2F]
    }

    /// The value of a text that has none: behind what is there, on lines of its own.
    func newRoot(_ root: EditRound.Pending) -> Splice {
        let count = document.byteCount
        let hasMark = count >= 3 && document.byte(0) == 0xEF
        let isFresh = count == (hasMark ? 3 : 0)
        let endsLine = isFresh || Trivia.isLineEnd(document.byte(count - 1))
        var text = endsLine ? [] : lineEnd
        text += self.text(root, indentation: [], step: [0x20, 0x20])
        // A text that did not end its last line is not made to.
        if endsLine { text += lineEnd }
        return Splice(range: count..<count, text: text)
    }
}

extension Container {
    /// Adds the splices that insert entries behind `anchor`: a tape index, -1 for the end, -2 for the start.
    func appendInsertion(
        of pending: [EditRound.Pending], after anchor: Int, style: Style, to splices: inout [Splice]
    ) {
        let step = style.step(in: self)
        guard let last = entries.indices.last else {
            return appendFirst(pending, style: style, step: step, to: &splices)
        }
        if anchor == -2 { return appendBeforeFirst(pending, style: style, step: step, to: &splices) }
        let position = anchor < 0 ? last : entries.firstIndex { $0.index == anchor } ?? last
        let entry = entries[position]
        if entry.comma < 0 {
            splices.append(Splice(range: entry.end..<entry.end, text: [0x2C], order: 1))
        }
        let tail = trivia.tail(entry.comma < 0 ? entry.end : entry.comma + 1)
        let isInline = isOneLine || (!tail.reachesLineEnd && position < last)
        // Behind a line comment nothing else can stand on the line.
        let indentation = isInline && !tail.endsInLineComment ? nil : entryIndentation(beside: position, unit: step)
        // What stands before another entry on the same line is that one's.
        let offset =
            isInline && !(tail.reachesLineEnd || position == last)
            ? max(entry.end, entry.comma + 1) : (tail.reachesLineEnd ? tail.stop : tail.end)
        var text: [UInt8] = []
        for (order, member) in pending.enumerated() {
            text += indentation.map { style.lineEnd + $0 } ?? [0x20]
            text += style.text(
                member, indentation: indentation, step: step, comma: entry.comma >= 0 || order < pending.count - 1)
        }
        splices.append(Splice(range: offset..<offset, text: text, order: 2))
    }

    /// Entries before all others.
    private func appendBeforeFirst(
        _ pending: [EditRound.Pending], style: Style, step: [UInt8], to splices: inout [Splice]
    ) {
        let first = entries[0]
        var text: [UInt8] = []
        if trivia.isFirstOnLine(first.start) {
            let indentation = entryIndentation(beside: 0, unit: step)
            for member in pending {
                text += style.lineEnd + indentation
                text += style.text(member, indentation: indentation, step: step, comma: true)
            }
            let offset = trivia.lineTailEnd(start + 1)
            splices.append(Splice(range: offset..<offset, text: text, order: 2))
        } else {
            for member in pending {
                text += style.text(member, indentation: nil, step: step, comma: true) + [0x20]
            }
            splices.append(Splice(range: first.start..<first.start, text: text, order: 0))
        }
    }

    /// The first entries of an empty container.
    private func appendFirst(
        _ pending: [EditRound.Pending], style: Style, step: [UInt8], to splices: inout [Splice]
    ) {
        var text: [UInt8] = []
        if isOneLine {
            // `{}` becomes `{"a": 1}`, `{ }` becomes `{ "a": 1 }`; a comment inside stays in front.
            let offset = trivia.tail(start + 1).end
            if close > start + 1 { text.append(0x20) }
            for (order, member) in pending.enumerated() {
                if order > 0 { text.append(0x20) }
                text += style.text(member, indentation: nil, step: step, comma: order < pending.count - 1)
            }
            splices.append(Splice(range: offset..<offset, text: text, order: 2))
            return
        }
        let indentation = bytes(trivia.indentation(start)) + step
        for (order, member) in pending.enumerated() {
            text += style.lineEnd + indentation
            text += style.text(member, indentation: indentation, step: step, comma: order < pending.count - 1)
        }
        let offset = trivia.lineTailEnd(start + 1)
        splices.append(Splice(range: offset..<offset, text: text, order: 2))
    }

    /// Adds the splices that remove entries, with what they own and exactly one comma each.
    func appendRemovals(of indices: Set<Int>, to splices: inout [Splice]) {
        // The entries at the end that go: the one before them loses its comma, unless that is the habit here.
        let kept = entries.lastIndex { !indices.contains($0.index) }
        let tailStart = kept.map { $0 + 1 } ?? 0
        if let kept, tailStart < entries.count, !hasTrailingComma, entries[kept].comma >= 0 {
            splices.append(Splice(range: entries[kept].comma..<(entries[kept].comma + 1), text: []))
        }
        for (position, entry) in entries.enumerated() where indices.contains(entry.index) {
            let range = removalRange(of: entry, isLast: position == entries.count - 1)
            splices.append(Splice(range: range, text: []))
        }
    }

    private func removalRange(of entry: Entry, isLast: Bool) -> Range<Int> {
        let tail = trivia.tail(entry.comma < 0 ? entry.end : entry.comma + 1)
        guard let start = trivia.ownedStart(entry.start, after: entry.before) else {
            return inlineRange(of: entry, tail, isLast: isLast)
        }
        if tail.reachesLineEnd {
            // Whole lines.
            return start..<trivia.skipLineEnd(tail.stop)
        }
        let next = tail.stop
        if next < close {
            // Another entry follows on the line and takes its place.
            return entry.start..<max(entry.end, entry.comma + 1)
        }
        // The closing bracket follows on the line and stays on the line before, unless that ends in a line comment.
        if trivia.endsInLineComment(entry.before, start) { return start..<tail.end }
        return trivia.lineEndBefore(start)..<tail.end
    }

    /// An entry that shares its line with what stands before it.
    private func inlineRange(of entry: Entry, _ tail: Trivia.Tail, isLast: Bool) -> Range<Int> {
        var end = max(entry.end, entry.comma + 1)
        if tail.reachesLineEnd || isLast { end = tail.end }
        if !isLast, !tail.reachesLineEnd {
            // The white space behind its comma goes, the one before it stays.
            return entry.start..<trivia.skipBlanks(end)
        }
        // The white space before it goes.
        var start = entry.start
        while start > entry.before, Trivia.isBlank(document.byte(start - 1)) { start -= 1 }
        return start..<end
    }

    /// An entry with its comments, cut loose from its place and indentation.
    func taking(_ index: Int) -> EditRound.Pending {
        guard let entry = entries.first(where: { $0.index == index }) else {
            return EditRound.Pending(name: nil, text: [])
        }
        let outer = bytes(trivia.indentation(entry.start))
        let value = Int(document.node(isObject ? index + 1 : index).start)
        let taken = EditRound.Pending(name: nil, text: bytes(value..<entry.end))
        taken.source = (JSONNode(document: document, index: isObject ? index + 1 : index), outer)
        if let start = trivia.ownedStart(entry.start, after: entry.before) {
            var p = trivia.skipBlanks(start)
            while p < entry.start {
                let end = trivia.commentEnd(p)
                taken.commentsAbove.append(bytes(p..<end))
                p = trivia.skipBlanks(end)
                while p < entry.start, Trivia.isLineEnd(document.byte(p)) { p = trivia.skipBlanks(p + 1) }
            }
        }
        // The comments between value and comma, and behind the comma.
        var comments = [comments(from: entry.end, to: trivia.tail(entry.end).end)]
        if entry.comma >= 0 {
            let tail = trivia.tail(entry.comma + 1)
            if tail.reachesLineEnd { comments.append(self.comments(from: entry.comma + 1, to: tail.end)) }
        }
        taken.commentBehind = Array(comments.filter { !$0.isEmpty }.joined(separator: [0x20]))
        return taken
    }

    private func comments(from start: Int, to end: Int) -> [UInt8] {
        let start = trivia.skipBlanks(start)
        return start < end ? bytes(start..<end) : []
    }
}
