extension String {
    /// The text with spaces behind it, up to `width` characters.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: Swift.max(0, width - count)) }

    /// The text on one line: control characters are written as JSON writes them, so that none reaches a terminal and no
    /// line is broken in two. JSON stays the same JSON.
    var printable: String {
        guard unicodeScalars.contains(where: \.isControl) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            if scalar.isControl {
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: Swift.max(0, 4 - digits.count)) + digits
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

extension Unicode.Scalar {
    /// Whether it is one of C0, DEL or C1, or breaks a line.
    fileprivate var isControl: Bool {
        value < 0x20 || (0x7F...0x9F).contains(value) || value == 0x2028 || value == 0x2029
    }
}

/// A word of the caller's in a message: in quotation marks, and shortened if it is long.
func quoted(_ word: String) -> String {
    let limit = 60
    let start = word.unicodeScalars.prefix(limit)
    return "\"\(String(start))\(start.count < word.unicodeScalars.count ? "…" : "")\""
}
