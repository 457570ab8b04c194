import SystemCalls

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Where a path leads once the symbolic links at its end are followed: a directory and a name in it.
///
/// The links are followed by hand because the file at their end need not exist: writing through a dangling link makes
/// its target, and the link stays a link. Links among the directories are the kernel's business.
struct Place: Equatable, Sendable {
    let directory: String
    let name: String

    /// The path of `name`, or of another entry of the directory.
    func path(of name: String) -> String { directory == "/" ? "/" + name : directory + "/" + name }
    var path: String { path(of: name) }

    /// By bytes: String compares by canonical equivalence, the kernel does not.
    static func == (one: Place, other: Place) -> Bool {
        one.directory.utf8.elementsEqual(other.directory.utf8) && one.name.utf8.elementsEqual(other.name.utf8)
    }

    /// As many as the kernel follows.
    private static let mostLinks = 40

    /// Follows `path`, an absolute one. Throws ELOOP after 40 links, EISDIR for a path that can only be a directory's.
    static func resolve(_ path: String, _ calls: FileCalls) throws(SystemError) -> Place {
        var current = path
        for _ in 0...mostLinks {
            let place = try split(current)
            guard let destination = try calls.destination(ofLink: current, in: AT_FDCWD, path: current) else {
                return place
            }
            current = destination.utf8.first == UInt8(ascii: "/") ? destination : place.path(of: destination)
        }
        throw SystemError(call: "readlinkat", path: path, code: ELOOP)
    }

    private static func split(_ path: String) throws(SystemError) -> Place {
        let bytes = path.utf8
        // The C calls would take the part before a zero byte for the path.
        if bytes.contains(0) { throw SystemError(call: "openat", path: path, code: EINVAL) }
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else {
            throw SystemError(call: "openat", path: path, code: EINVAL)
        }
        let name = String(path[bytes.index(after: slash)...])
        if name.isEmpty || name == "." || name == ".." {
            throw SystemError(call: "openat", path: path, code: EISDIR)
        }
        return Place(directory: slash == bytes.startIndex ? "/" : String(path[..<slash]), name: name)
    }

    /// The directory that an absolute path's last part lies in; "/" for itself.
    static func parent(of path: String) -> String {
        var parent = path[...]
        while parent.utf8.last == UInt8(ascii: "/") { parent.removeLast() }
        while let last = parent.utf8.last, last != UInt8(ascii: "/") { parent.removeLast() }
        while parent.utf8.last == UInt8(ascii: "/") { parent.removeLast() }
        return parent.isEmpty ? "/" : String(parent)
    }
}
