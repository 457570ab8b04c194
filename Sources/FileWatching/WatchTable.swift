/// Who is interested in which watch of the kernel.
///
/// The kernel gives one watch descriptor per inode and queue: the watchers in a process share it, by count, and its
/// mask is the union of what they want.
struct WatchTable: Sendable {
    typealias Watcher = UInt64

    /// One reason to hold a watch.
    enum Interest: Hashable, Sendable {
        /// The entry `name` of the watched directory, on the way of the path.
        case entry(name: [UInt8])
        /// The entry `name` of the watched directory, which is the file itself.
        case file(name: [UInt8])
        /// The watched inode, which is the file itself.
        case inode
    }

    struct Holding: Hashable, Sendable {
        let watch: CInt
        let interest: Interest
    }

    private struct Watch: Sendable {
        var names: [[UInt8]: [Watcher: Interest]] = [:]
        var inode: Set<Watcher> = []

        var isUnused: Bool { names.isEmpty && inode.isEmpty }
        var watchers: Set<Watcher> { names.values.reduce(into: inode) { $0.formUnion($1.keys) } }
    }

    private var watches: [CInt: Watch] = [:]

    var isEmpty: Bool { watches.isEmpty }

    mutating func insert(_ holding: Holding, of watcher: Watcher) {
        switch holding.interest {
        case .entry(let name), .file(let name):
            watches[holding.watch, default: Watch()].names[name, default: [:]][watcher] = holding.interest
        case .inode:
            watches[holding.watch, default: Watch()].inode.insert(watcher)
        }
    }

    /// Gives a holding back; true when nobody holds the watch any more.
    mutating func remove(_ holding: Holding, of watcher: Watcher) -> Bool {
        guard var watch = watches.removeValue(forKey: holding.watch) else { return false }
        switch holding.interest {
        case .entry(let name), .file(let name):
            // The other interest in the same name may have taken the place of this one.
            if watch.names[name]?[watcher] == holding.interest { watch.names[name]?[watcher] = nil }
            if watch.names[name]?.isEmpty == true { watch.names[name] = nil }
        case .inode:
            watch.inode.remove(watcher)
        }
        if watch.isUnused { return true }
        watches[holding.watch] = watch
        return false
    }

    /// Forgets a watch that the kernel has removed.
    mutating func drop(_ watch: CInt) { watches[watch] = nil }

    /// Who wants to know of `name` in the watched directory.
    func interests(in watch: CInt, name: [UInt8]) -> [Watcher: Interest] { watches[watch]?.names[name] ?? [:] }

    /// Whose file the watched inode is.
    func inodeWatchers(of watch: CInt) -> Set<Watcher> { watches[watch]?.inode ?? [] }

    /// Who holds the watch for any reason.
    func watchers(of watch: CInt) -> Set<Watcher> { watches[watch]?.watchers ?? [] }
}
