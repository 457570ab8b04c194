/// A pause before the next read of the queue while nothing but noise comes from it.
///
/// A program that writes hundreds of other files into a watched directory would wake the thread for each. After many
/// wake-ups in quick succession that concerned nobody, events are left to gather: for a millisecond, and for four
/// when it goes on.
struct NoiseBreak: Sendable {
    /// More than what one save makes, with its temporary and backup files.
    private static let patience = 32
    private static let longNoise = 48
    private static let quick = Duration.milliseconds(10)

    private var latest: ContinuousClock.Instant?
    private var count = 0
    /// When the pause ends.
    private(set) var end = ContinuousClock.now

    var isDue: Bool { count > Self.patience }

    mutating func note(isNoise: Bool, at now: ContinuousClock.Instant) {
        let isQuick = latest.map { now - $0 < Self.quick } ?? false
        count = isNoise && isQuick ? count + 1 : 0
        latest = now
        end = now + .milliseconds(count > Self.longNoise ? 4 : 1)
    }
}
