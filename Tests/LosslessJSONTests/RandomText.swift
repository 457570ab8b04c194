import TestSupport

/// Random JSON texts, with comments, odd spacing and repeated names if asked for. The same seed gives the same text.
struct RandomText {
    var generator: SeededGenerator
    /// Comments, trailing commas, any white space.
    var isLoose = true
    /// Repeated names, and names with dots.
    var repeatsNames = true
    private var lineEnd = "\n"

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }
    mutating func pick<T>(_ values: [T]) -> T { values[below(values.count)] }

    static let names = ["a", "b", "c", "a.b", "b.c", "a.b.c", "d", "e", "", "long name with spaces", "ü"]

    mutating func document() -> String {
        lineEnd = pick(["\n", "\n", "\r\n"])
        if isLoose, below(20) == 0 { return trivia(lines: true) }
        return trivia(lines: true) + container(depth: 0, isObject: true) + trivia(lines: true)
    }

    mutating func name() -> String {
        let name = repeatsNames ? pick(Self.names) : pick(Self.names) + "\(below(1_000_000))"
        return below(10) == 0 && name == "a" ? "\"\\u0061\"" : "\"\(name)\""
    }

    mutating func path() -> [String] {
        var path: [String] = []
        for _ in 0...below(3) { path.append(pick(["a", "b", "c", "d", "e"])) }
        return path
    }

    mutating func value(depth: Int) -> String {
        if depth < 4, below(3) == 0 { return container(depth: depth, isObject: below(3) > 0) }
        return scalar()
    }

    mutating func scalar() -> String {
        pick([
            "1", "0", "-0", "1.0", "1e2", "-1.5e-3", "true", "false", "null", "\"\"", "\"x\"", "\"a\\\"b\\\\\"",
            "\"// no comment\"", "\"/* nor this */\"", "\"ü🌍\"", "\"\\u00fc\\ud83c\\udf0d\"", "123456789012", "\"},]\"",
        ])
    }

    /// White space and comments; ends in a state where any token may follow.
    mutating func trivia(lines: Bool) -> String {
        if !isLoose { return "" }
        var text = ""
        for _ in 0..<below(3) {
            switch below(lines ? 8 : 4) {
            case 0: text += " "
            case 1: text += "  "
            case 2: text += "/* c\(below(100)) */"
            case 3: text += "\t"
            case 4: text += lineEnd
            case 5: text += "// l\(below(100))" + lineEnd
            case 6: text += lineEnd + "  // \"x\": 1," + lineEnd
            default: text += "/* m" + lineEnd + " */"
            }
        }
        return text
    }

    mutating func container(depth: Int, isObject: Bool) -> String {
        let count = below(5)
        let style = below(4)
        let indent = lineEnd + String(repeating: "  ", count: depth + 1)
        var text = isObject ? "{" : "["
        for position in 0..<count {
            switch style {
            case 0: text += trivia(lines: true)
            case 1: text += position == 0 ? "" : " "
            default:
                if isLoose, below(6) == 0 { text += lineEnd }
                if isLoose, below(4) == 0 { text += indent + "// above \(below(100))" }
                text += indent
            }
            if isObject {
                text +=
                    name() + (style == 0 ? trivia(lines: true) : "") + ":" + (style == 0 ? trivia(lines: true) : " ")
            }
            text += value(depth: depth + 1)
            if style == 0 { text += trivia(lines: true) }
            if isLoose, style > 1, below(8) == 0 { text += " /* in */" }
            if position < count - 1 || (isLoose && below(4) == 0) { text += "," }
            if isLoose, style > 1, below(5) == 0 { text += " // behind \(below(100))" }
        }
        if style == 0 { text += trivia(lines: true) }
        if style > 1 { text += lineEnd + String(repeating: "  ", count: depth) }
        return text + (isObject ? "}" : "]")
    }
}
