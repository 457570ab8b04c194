/// A word that begins with a dash and changes what a verb does.
enum Flag: String, Sendable {
    case json = "--json"
    case string = "--string"
    case origin = "--origin"
    case help = "--help"

    init?(_ word: String) {
        if word == "-h" {
            self = .help
        } else {
            self.init(rawValue: word)
        }
    }
}
