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
    private let registrations: AsyncStream<Void>
    /// Kept: a source that goes away sees nothing any more.
    private let sources: [any DispatchSourceSignal]

    init() {
        let (signals, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.signals = signals
        let (registrations, registration) = AsyncStream.makeStream(of: Void.self)
        self.registrations = registrations
        let queue = DispatchQueue(label: "rheostat.signals")
        sources = [SIGINT, SIGTERM].map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                continuation.yield()
                queue.asyncAfter(deadline: .now() + .milliseconds(500)) { _exit(ExitStatus.done.rawValue) }
            }
            // Not before: a signal that comes between the two would be lost. On Linux the source has its own handler.
            source.setRegistrationHandler {
                #if canImport(Darwin)
                    _ = signal(number, SIG_IGN)
                #endif
                registration.yield()
            }
            source.activate()
            return source
        }
    }

    /// Waits until a signal ends in order; one that comes earlier ends the process as it ends any other.
    func arm() async {
        var iterator = registrations.makeAsyncIterator()
        for _ in sources { await iterator.next() }
    }
}
