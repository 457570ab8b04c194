#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The name of a file that stands beside the target while that is replaced.
///
/// It says what the file is for whoever finds it after a crash:
///
/// - a *draft*, `.NAME.rheostat-draft-PID-RANDOM`, has never been the target. It may be half written.
/// - a *swap*, `.NAME.rheostat-swap-READ-NEW-RANDOM`, was a draft that was written in full, and changes names with the
///   target. READ is the hash of the text that the target should hold, NEW that of the draft's. So a text with either
///   hash is dispensable, and any other is an edit that another program saved in between.
///
/// NAME is that of the target, or a hash of it where that is longer than 100 bytes. Hashes are 32 hexadecimal digits,
/// RANDOM 8.
enum TemporaryName: Hashable, Sendable {
    case draft(process: pid_t, random: UInt32)
    case swap(read: TextHash, new: TextHash, random: UInt32)

    static func newDraft() -> TemporaryName { .draft(process: getpid(), random: .random(in: 0...(.max))) }

    static func newSwap(read: TextHash, new: TextHash) -> TemporaryName {
        .swap(read: read, new: new, random: .random(in: 0...(.max)))
    }

    /// What the names for that target begin with.
    static func prefix(for target: String) -> String {
        let stem = target.utf8.count <= 100 ? target : TextHash(of: Array(target.utf8)).description
        return ".\(stem).rheostat-"
    }

    /// The name beside `target`.
    func name(for target: String) -> String {
        let start = Self.prefix(for: target)
        switch self {
        case .draft(let process, let random):
            return "\(start)draft-\(process)-\(Hexadecimal.text(UInt128(random), digits: 8))"
        case .swap(let read, let new, let random):
            return "\(start)swap-\(read)-\(new)-\(Hexadecimal.text(UInt128(random), digits: 8))"
        }
    }

    /// What a name beside `target` says; nil if it is not one that ``name(for:)`` makes.
    init?(_ name: String, for target: String) {
        let start = Self.prefix(for: target)
        // By bytes: String compares by canonical equivalence, the kernel does not.
        guard name.utf8.starts(with: start.utf8) else { return nil }
        let parts = Substring(name.utf8.dropFirst(start.utf8.count)).split(
            separator: "-", omittingEmptySubsequences: false)
        guard let kind = parts.first, let last = parts.last,
            let random = Hexadecimal.value(last, digits: 8).map(UInt32.init(truncatingIfNeeded:))
        else { return nil }
        switch (kind, parts.count) {
        case ("draft", 3):
            guard let process = pid_t(parts[1]), process > 0 else { return nil }
            self = .draft(process: process, random: random)
        case ("swap", 4):
            guard let read = TextHash(parts[1]), let new = TextHash(parts[2]) else { return nil }
            self = .swap(read: read, new: new, random: random)
        default: return nil
        }
        // Names that say the same in another way, such as a number with a leading zero, are not ours.
        guard self.name(for: target).utf8.elementsEqual(name.utf8) else { return nil }
    }
}
