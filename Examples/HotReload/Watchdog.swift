import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Ends the process with status 1 when the example has not ended in time: an event that does not come must not look like
/// a program that is still at work.
enum Watchdog {
    /// Begins to count. The process normally ends before it is over.
    static func start(seconds: Int, leaving directory: String) {
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds)) {
            complain("what the last step waits for did not come within \(seconds) s; its files are in \(directory)")
            exit(1)
        }
    }
}
