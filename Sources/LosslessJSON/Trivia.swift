/// Reading what stands between the tokens of a scanned text: white space, comments, commas.
struct Trivia {
    let document: JSONDocument

    @inline(__always)
    func byte(_ offset: Int) -> UInt8 { document.byte(offset) }

    static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    // MARK: Forward

    /// Skips spaces and tabs.
    func skipBlanks(_ offset: Int) -> Int {
        var p = offset
        while Self.isBlank(byte(p)) { p += 1 }
        return p
    }

    /// The end of the comment that begins at `offset`, the line end of a line comment left out.
    func commentEnd(_ offset: Int) -> Int {
        var p = offset + 2
        if byte(offset + 1) == 0x2F {
            while p < document.byteCount, !Self.isLineEnd(byte(p)) { p += 1 }
        } else {
            while p < document.byteCount, !(byte(p) == 0x2A && byte(p + 1) == 0x2F) { p += 1 }
            p += 2
        }
        return min(p, document.byteCount)
    }

    /// One past the line end that begins at `offset`; `offset` itself at the end of the text.
    func skipLineEnd(_ offset: Int) -> Int {
        if offset >= document.byteCount { return offset }
        if byte(offset) == 0x0D, offset + 1 < document.byteCount, byte(offset + 1) == 0x0A { return offset + 2 }
        return Self.isLineEnd(byte(offset)) ? offset + 1 : offset
    }

    /// The first byte at or behind `offset` that is neither white space nor comment.
    func nextToken(_ offset: Int) -> Int {
        var p = offset
        while p < document.byteCount {
            let c = byte(p)
            if Self.isBlank(c) || Self.isLineEnd(c) {
                p += 1
            } else if c == 0x2F {
                p = commentEnd(p)
            } else {
                break
            }
        }
        return p
    }

    /// What follows on the line of `offset`.
    struct Tail {
        /// The end of the last comment on the line; `offset` if there is none.
        var end: Int
        /// Whether nothing but white space stands between `end` and the end of the line.
        var reachesLineEnd: Bool
        /// The first byte of the line end, or of the next token on the line.
        var stop: Int
        /// Whether the last comment is a line comment.
        var endsInLineComment: Bool
    }

    func tail(_ offset: Int) -> Tail {
        var tail = Tail(end: offset, reachesLineEnd: true, stop: offset, endsInLineComment: false)
        while true {
            let p = skipBlanks(tail.stop)
            tail.stop = p
            if p >= document.byteCount || Self.isLineEnd(byte(p)) { return tail }
            guard byte(p) == 0x2F else {
                tail.reachesLineEnd = false
                return tail
            }
            tail.endsInLineComment = byte(p + 1) == 0x2F
            tail.end = commentEnd(p)
            tail.stop = tail.end
        }
    }

    /// Where a new line begins behind `offset`: before the line end, if only comments and white space come first, so
    /// that spaces at the end of a line stay on it.
    func lineTailEnd(_ offset: Int) -> Int {
        let tail = tail(offset)
        return tail.reachesLineEnd ? tail.stop : tail.end
    }

    // MARK: Backward

    /// The first byte of the line that holds `offset`.
    func lineStart(_ offset: Int) -> Int {
        var p = offset
        while p > 0, !Self.isLineEnd(byte(p - 1)) { p -= 1 }
        // A byte order mark is no part of the line.
        if p == 0, document.byteCount >= 3, byte(0) == 0xEF, byte(1) == 0xBB, byte(2) == 0xBF, offset >= 3 { return 3 }
        return p
    }

    /// The white space that the line of `offset` begins with.
    func indentation(_ offset: Int) -> Range<Int> {
        let start = lineStart(offset)
        return start..<min(skipBlanks(start), offset)
    }

    /// Whether only white space stands before `offset` on its line.
    func isFirstOnLine(_ offset: Int) -> Bool { indentation(offset).upperBound == offset }

    /// The first byte of the line end just before a line's start.
    func lineEndBefore(_ lineStart: Int) -> Int {
        var p = lineStart
        if p > 0, byte(p - 1) == 0x0A { p -= 1 }
        if p > 0, byte(p - 1) == 0x0D { p -= 1 }
        return p
    }

    /// Whether the last thing between two offsets, line ends left out, is a line comment.
    func endsInLineComment(_ start: Int, _ end: Int) -> Bool {
        var p = start
        var isLineComment = false
        while p < end {
            if byte(p) == 0x2F {
                isLineComment = byte(p + 1) == 0x2F
                p = commentEnd(p)
            } else {
                p += 1
            }
        }
        return isLineComment
    }

    // MARK: Ownership

    /// The comment lines that touch the token at `token` from above and belong to it, within the white space and
    /// comments from `start` (the end of the token before): up to a blank line, a line that `start` is on, or a
    /// commented-out member.
    ///
    /// Returns the start of the first of these lines (or of the token's own line), and nil if the token is not the
    /// first one on its line.
    func ownedStart(_ token: Int, after start: Int) -> Int? {
        // Where each line begins that holds nothing but comments, and whether it belongs to what follows.
        var owned: Int?
        var p = tail(start).stop
        guard p < token, Self.isLineEnd(byte(p)) else { return nil }
        p = skipLineEnd(p)
        var line = p
        while true {
            p = skipBlanks(p)
            if p >= token { return owned ?? line }
            if Self.isLineEnd(byte(p)) {
                // A blank line cuts.
                owned = nil
            } else {
                let isMember = isCommentedOutMember(p)
                while p < token, byte(p) == 0x2F { p = skipBlanks(commentEnd(p)) }
                // A block comment before the token, on its own line, goes with it.
                if p >= token { return owned ?? line }
                if isMember { owned = nil } else if owned == nil { owned = line }
            }
            p = skipLineEnd(p)
            line = p
        }
    }

    /// Whether a comment holds what looks like a member (`// "name": …`) or the end of one (`// },`).
    private func isCommentedOutMember(_ comment: Int) -> Bool {
        let end = commentEnd(comment)
        var p = comment + 2
        while p < end, Self.isBlank(byte(p)) { p += 1 }
        guard p < end else { return false }
        if byte(p) == 0x7D || byte(p) == 0x5D {
            p += 1
            while p < end, [0x7D, 0x5D, 0x2C, 0x20, 0x09].contains(byte(p)) { p += 1 }
            return p >= end
        }
        guard byte(p) == 0x22 else { return false }
        p += 1
        while p < end, byte(p) != 0x22 { p += byte(p) == 0x5C ? 2 : 1 }
        p += 1
        while p < end, Self.isBlank(byte(p)) { p += 1 }
        return p < end && byte(p) == 0x3A
    }

    // MARK: The habits of the text

    /// How the lines of a text end.
    struct LineEnds {
        /// How many end with CRLF, and how many with LF alone.
        var pairs = 0
        var singles = 0

        /// Whether an edit can change which is the more frequent one.
        var areMixed: Bool { pairs > 0 && singles > 0 }
        /// The more frequent one; LF if there is none or as many of each.
        var usual: [UInt8] { pairs > singles ? [0x0D, 0x0A] : [0x0A] }
    }

    var lineEnds: LineEnds {
        document.withBytes { text in
            let lines = Memory.count(0x0A, in: text)
            // Most texts have no CR at all.
            guard Memory.contains(0x0D, in: text) else { return LineEnds(pairs: 0, singles: lines) }
            var pairs = 0
            var previous: UInt8 = 0
            for byte in text {
                if byte == 0x0A, previous == 0x0D { pairs += 1 }
                previous = byte
            }
            return LineEnds(pairs: pairs, singles: lines - pairs)
        }
    }
}
