/// The dialect to scan and the limits to hold, chosen by the caller.
///
/// A byte order mark before the text is accepted in every dialect.
package struct JSONOptions: Hashable, Sendable {
    /// Whether `// line` and `/* block */` comments are white space.
    package var allowsComments: Bool
    /// Whether a comma may stand after the last member or element.
    package var allowsTrailingCommas: Bool
    /// Whether a text without a value (empty, white space, only comments) scans; its document has no root.
    package var allowsNoValue: Bool
    /// How many containers may be open at once; one more is `tooDeep`.
    package var maximumDepth = 512
    /// How many bytes a text may have; one more is `tooLarge`. Offsets have 32 bits, so at most 2 GiB count.
    package var maximumSize = 1 << 30

    /// Makes options with the usual limits.
    package init(allowsComments: Bool = false, allowsTrailingCommas: Bool = false, allowsNoValue: Bool = false) {
        self.allowsComments = allowsComments
        self.allowsTrailingCommas = allowsTrailingCommas
        self.allowsNoValue = allowsNoValue
    }

    /// RFC 8259 and nothing else.
    package static let strict = JSONOptions()
    /// What settings files are written in: comments, trailing commas, and a file that sets nothing.
    package static let settings = JSONOptions(allowsComments: true, allowsTrailingCommas: true, allowsNoValue: true)
}
