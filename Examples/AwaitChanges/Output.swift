import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Prints a line at once, also into a pipe.
func say(_ line: String = "") {
    print(line)
    fflush(nil)
}

private let chapters = Atomic(0)

/// Prints a chapter's heading.
func chapter(_ title: String) {
    let number = chapters.wrappingAdd(1, ordering: .relaxed).newValue
    say((number > 1 ? "\n" : "") + "\(number). \(title)")
}
