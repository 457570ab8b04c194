/// One thing the tool does: how it is called, what its help says, and how it is done.
struct Verb: Sendable {
    /// The first word of the call.
    let name: String

    /// The words after it, such as `FILE KEY [BY]`.
    let operands: String

    /// How many of them there may be.
    let count: ClosedRange<Int>

    /// The flags it has, besides `--help`.
    var flags: [Flag] = []

    /// What it does, in at most 58 columns.
    let summary: String

    /// The whole story: paragraphs, which are wrapped.
    let details: [String]

    /// A call and what it prints, line by line.
    let example: [String]

    /// Does it. Throws ``Failure`` or an error of the library.
    let run: @Sendable (Arguments) async throws -> Void

    /// Every verb, in the order of the help.
    static let all: [Verb] = [.get, .set, .unset, .increment, .list, .check, .watch, .help]

    /// The verb of that name.
    static func named(_ name: String) -> Verb? { all.first { $0.name == name } }

    /// The call in one line.
    var synopsis: String {
        (["rheostat", name, operands] + flags.map { "[\($0.rawValue)]" }).joined(separator: " ")
    }
}
