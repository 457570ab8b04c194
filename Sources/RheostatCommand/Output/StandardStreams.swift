#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Standard output and standard error, written through at once.
enum StandardStreams {
    /// Makes writing safe. Called once, before anything is opened.
    ///
    /// A stream that the caller closed gets a descriptor that cannot be written: else the next file opened would take its
    /// number, and what is printed would go into that file. A reader who goes away is an error of the write instead of a
    /// signal.
    static func prepare() {
        for number: CInt in 0...2 where fcntl(number, F_GETFD) == -1 {
            // The lowest free number is taken, which is this one.
            _ = unsafe open("/dev/null", O_RDONLY)
        }
        _ = signal(SIGPIPE, SIG_IGN)
    }

    /// Whether standard output is a terminal.
    static var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Writes `text` and a line end to standard output, with one call if the system takes it all.
    ///
    /// Throws ``Failure/outputClosed`` when nobody reads any more.
    static func print(_ text: String) throws(Failure) {
        guard let failed = write(text + "\n", to: STDOUT_FILENO) else { return }
        if failed == EPIPE { throw .outputClosed }
        throw Failure(.inputOutput, "standard output: \(reason(failed))")
    }

    /// Writes each line to standard error. If that cannot be written, nobody can be told.
    static func complain(_ lines: [String]) {
        guard !lines.isEmpty else { return }
        _ = write(lines.map { $0.printable + "\n" }.joined(), to: STDERR_FILENO)
    }

    /// What `errno` means, as the C library says it.
    static func reason(_ code: CInt) -> String {
        // Sound: the text is copied before this thread calls the library again.
        unsafe String(cString: strerror(code))
    }

    /// Writes all of `text`; returns the `errno` of what failed.
    private static func write(_ text: String, to number: CInt) -> CInt? {
        var text = text
        return text.withUTF8 { bytes -> CInt? in
            var rest = UnsafeRawBufferPointer(bytes)
            while unsafe !rest.isEmpty {
                // Sound: the pointer and the count are those of the string's own bytes.
                let count = unsafe writeOnce(number, rest.baseAddress, rest.count)
                if count >= 0 {
                    unsafe rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
                    continue
                }
                switch errno {
                case EINTR: continue
                case EAGAIN:
                    // Somebody else made the stream non-blocking.
                    var waiting = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
                    _ = unsafe poll(&waiting, 1, -1)
                case let failed: return failed
                }
            }
            return nil
        }
    }

    private static func writeOnce(_ number: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        #if canImport(Glibc)
            unsafe Glibc.write(number, bytes, count)
        #elseif canImport(Musl)
            unsafe Musl.write(number, bytes, count)
        #else
            unsafe Darwin.write(number, bytes, count)
        #endif
    }
}
