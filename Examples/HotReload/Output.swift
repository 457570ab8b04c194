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

/// Prints a line on standard error.
func complain(_ line: String) {
    let bytes = Array("HotReload: \(line)\n".utf8)
    // Sound: as many bytes are read from the array as it has.
    _ = unsafe bytes.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
