import SystemCalls

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What the hub's thread sleeps on, and until when.
struct HubWait {
    struct Ready: OptionSet {
        let rawValue: Int
        static let wake = Ready(rawValue: 1)
        static let events = Ready(rawValue: 2)
        static let mounts = Ready(rawValue: 4)
    }

    /// Held while its number is slept on.
    var queue: InotifyQueue? {
        didSet { requests[1].fd = queue?.descriptor.number ?? -1 }
    }
    /// When to wake at the latest; nil for never.
    var end: ContinuousClock.Instant?

    private var requests: [pollfd]

    /// Without `wake` the sleep is never long, since nobody could end it.
    init(wake: CInt?, mounts: CInt?) {
        requests = [
            pollfd(fd: wake ?? -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: mounts ?? -1, events: Int16(POLLPRI), revents: 0),
        ]
    }

    /// Sleeps until something is ready, or `end`. May wake early without cause: the caller looks and sleeps again.
    mutating func wait() -> Ready { poll(count: 3, until: end) }

    /// Sleeps until `pause` or `end`, whatever events come; a wake-up ends it.
    mutating func pause(until pause: ContinuousClock.Instant) {
        _ = poll(count: 1, until: end.map { min($0, pause) } ?? pause)
    }

    private mutating func poll(count: Int, until end: ContinuousClock.Instant?) -> Ready {
        let limit: CInt = requests[0].fd < 0 ? 100 : 3_600_000
        var milliseconds = requests[0].fd < 0 ? limit : -1
        if let end {
            let left = max(.zero, end - ContinuousClock.now).components
            // Rounded up, so that it does not wake just before the deadline.
            let rounded = left.seconds * 1000 + (left.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
            milliseconds = CInt(min(rounded, Int64(limit)))
        }
        for index in requests.indices { requests[index].revents = 0 }
        #if canImport(Glibc)
            let found = Glibc.poll(&requests, nfds_t(count), milliseconds)
        #elseif canImport(Musl)
            let found = Musl.poll(&requests, nfds_t(count), milliseconds)
        #else
            let found = Darwin.poll(&requests, nfds_t(count), milliseconds)
        #endif
        guard found > 0 else { return [] }
        return Ready(rawValue: requests.indices.reduce(0) { $0 | (requests[$1].revents != 0 ? 1 << $1 : 0) })
    }
}
