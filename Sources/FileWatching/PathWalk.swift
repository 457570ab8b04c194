import SystemCalls

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// How a path was resolved, link by link: each directory that was passed, with the name that was looked up there.
///
/// A path leads elsewhere only after one of these entries has changed, so these are what is watched. Two equal walks,
/// with the watches set in between, prove that the watches lie on the way the path takes.
struct PathWalk: Sendable {
    struct Step: Hashable, Sendable {
        /// The directory, free of links.
        let directory: PathBytes
        /// The entry looked up in it.
        let name: [UInt8]
        /// What the entry is; nil when there is none.
        let entry: FileIdentity?
        /// Where it leads, when it is a link.
        let target: [UInt8]?
    }

    private(set) var steps: [Step] = []
    /// The file the path leads to, of whatever kind; nil when the path ends before.
    private(set) var file: FileIdentity?
    /// Whether the last step is that of the file's own name, existing or not.
    private(set) var reachesFile = false
    /// The deepest path that was found, free of links.
    private(set) var deepest = PathBytes.root

    /// The entry of the file's own name, existing or not.
    var entry: PathBytes? { reachesFile ? steps.last.map { $0.directory.appending($0.name) } : nil }

    private static let longestLinkChain = 40

    init(_ path: PathBytes) {
        guard path.bytes.first == UInt8(ascii: "/"), !path.containsNUL else { return }
        var ahead = Array(path.components.reversed())
        var directory = [PathBytes.root]
        var links = 0
        while let name = ahead.popLast() {
            if name == [UInt8(ascii: ".")] { continue }
            if name == [UInt8(ascii: "."), UInt8(ascii: ".")] {
                if directory.count > 1 { directory.removeLast() }
                continue
            }
            let parent = directory.last ?? .root
            let entry = parent.appending(name)
            let isLast = ahead.isEmpty
            guard let found = try? FileSignature(ofEntry: entry) else {
                steps.append(Step(directory: parent, name: name, entry: nil, target: nil))
                reachesFile = isLast
                return
            }
            let target = found.isLink ? Self.target(of: entry) : nil
            steps.append(Step(directory: parent, name: name, entry: found.identity, target: target))
            if let target {
                links += 1
                if links > Self.longestLinkChain { return }
                if target.first == UInt8(ascii: "/") { directory = [.root] }
                ahead.append(contentsOf: PathBytes(bytes: target).components.reversed())
                deepest = directory.last ?? .root
                continue
            }
            deepest = entry
            if isLast {
                file = found.identity
                reachesFile = true
                return
            }
            if !found.isDirectory { return }
            directory.append(entry)
        }
    }

    /// Whether two walks passed the same directories and links. The file at the end may differ: its directory is
    /// watched by then, and tells.
    func isSameWay(as other: PathWalk) -> Bool {
        guard steps.count == other.steps.count, reachesFile == other.reachesFile else { return false }
        guard reachesFile, let last = steps.last, let otherLast = other.steps.last else { return steps == other.steps }
        return steps.dropLast() == other.steps.dropLast() && last.name == otherLast.name
            && last.directory == otherLast.directory
    }

    private static func target(of link: PathBytes) -> [UInt8]? {
        [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            // Sound: readlink writes at most the capacity given, and CChar has the layout of UInt8.
            let length = link.withPointer { path in
                buffer.withMemoryRebound(to: CChar.self) { text in
                    text.baseAddress.map { readlink(path, $0, text.count) } ?? -1
                }
            }
            count = max(0, length)
        }
    }
}
