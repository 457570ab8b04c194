#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The time of day for people.
enum WallClock {
    /// Hours, minutes, seconds and milliseconds of the local time, such as `09:05:59.020`.
    static func timeOfDay() -> String {
        var now = timespec()
        var parts = unsafe tm()
        // Sound: both calls fill in what is theirs alone. Should one fail, it is midnight.
        _ = unsafe clock_gettime(CLOCK_REALTIME, &now)
        _ = unsafe localtime_r(&now.tv_sec, &parts)
        let clock = unsafe [parts.tm_hour, parts.tm_min, parts.tm_sec]
        return clock.map { digits(Int($0), 2) }.joined(separator: ":") + "."
            + digits(now.tv_nsec / 1_000_000, 3)
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}
