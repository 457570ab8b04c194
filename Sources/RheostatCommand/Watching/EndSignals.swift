import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Turns SIGINT and SIGTERM into an orderly end with exit status 0.
///
/// If the end does not come within half a second, because nobody takes what is being written, the process ends anyway.
final class EndSignals {
    /// One element when one of the signals has come.
    let signals: AsyncStream<Void>
    /// Kept: a source that goes away sees nothing any more.
    private let sources: [any DispatchSourceSignal]

    init() {
        let (signals, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.signals = signals
        let queue = DispatchQueue(label: "rheostat.signals")
        sources = [SIGINT, SIGTERM].map { number in
            // The source sees the signal instead.
            _ = signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                continuation.yield()
                queue.asyncAfter(deadline: .now() + .milliseconds(500)) { _exit(ExitStatus.done.rawValue) }
            }
            source.activate()
            return source
        }
    }
}
