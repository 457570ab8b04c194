#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Reads the file behind a path whole and from one moment, whatever writers do meanwhile.
///
/// Thread safety: everything may be called from any thread. Reading blocks for the time of the I/O.
package protocol FileReader: Sendable {
    /// Reads the file as it stands, or says why there is nothing to be read. Blocks for the I/O alone, never for a writer.
    func read() -> FileReading

    /// Reads the file once it has settled. Blocks for as long as a writer is given, never longer; so never call it on the
    /// cooperative pool.
    func readSettled() -> FileReading

    /// Tells that the file holds `content` now, which an empty or missing file is held against.
    func adopt(_ content: [UInt8])
}

extension FileReader {
    /// Reads until the file has settled, `limit` at most, or `isOver` says that nobody needs it any more.
    func readSettled(within limit: Duration, isOver: () -> Bool = { false }) -> FileReading {
        let end = ContinuousClock.now + limit
        while true {
            let reading = read()
            guard reading == .unsettled, ContinuousClock.now < end, !isOver() else { return reading }
            // Not waited for by signal, which belongs to the consumer; events are taken in by each look.
            usleep(2_000)
        }
    }
}

extension FileWatcher: FileReader {}
