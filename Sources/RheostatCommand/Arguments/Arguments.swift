#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The words after the verb, taken apart.
///
/// Flags may stand anywhere; after `--` nothing is a flag any more. A dash alone and a dash before a digit begin no flag,
/// so that negative numbers can be given as they are.
struct Arguments {
    /// The words that are no flags, in order.
    let operands: [String]
    private let flags: Set<Flag>
    private let verb: Verb

    /// Throws a usage failure for a flag that `verb` does not have.
    init(_ words: some Sequence<String>, of verb: Verb) throws(Failure) {
        var operands: [String] = []
        var flags: Set<Flag> = []
        var mayBeFlag = true
        for word in words {
            if mayBeFlag, word == "--" {
                mayBeFlag = false
            } else if mayBeFlag, Self.looksLikeFlag(word) {
                guard let flag = Flag(word), flag == .help || verb.flags.contains(flag) else {
                    throw Failure.usage(
                        "\(verb.name) has no flag \(quoted(word)) (a value may follow \"--\")", help: verb.name)
                }
                flags.insert(flag)
            } else {
                operands.append(word)
            }
        }
        self.operands = operands
        self.flags = flags
        self.verb = verb
    }

    /// Whether the flag was given.
    func has(_ flag: Flag) -> Bool { flags.contains(flag) }

    /// Throws a usage failure if there are fewer or more operands than the verb takes.
    func checkCount() throws(Failure) {
        guard operands.count >= verb.count.lowerBound else {
            throw Failure.usage("\(verb.name) needs \(verb.operands)", help: verb.name)
        }
        guard operands.count <= verb.count.upperBound else {
            throw Failure.usage(
                "\(verb.name) takes no more than \(verb.operands), found \(quoted(operands[verb.count.upperBound]))",
                help: verb.name)
        }
    }

    private static func looksLikeFlag(_ word: String) -> Bool {
        let bytes = word.utf8.prefix(2)
        guard bytes.first == UInt8(ascii: "-"), let second = bytes.dropFirst().first else { return false }
        return !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(second)
    }

    /// The words this process was called with, without its own name.
    ///
    /// Throws a usage failure for one that is not valid UTF-8: mended, it would name another file or another value.
    static func ofThisProcess() throws(Failure) -> [String] {
        var words: [String] = []
        for index in stride(from: 1, to: Int(CommandLine.argc), by: 1) {
            // Sound: the kernel gives argc strings, and nobody writes to them.
            guard let bytes = unsafe CommandLine.unsafeArgv[index] else { break }
            guard let word = unsafe String(validatingCString: bytes) else {
                throw Failure.usage("argument \(index) is not valid UTF-8")
            }
            words.append(word)
        }
        return words
    }
}
