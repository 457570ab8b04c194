/// A pause before the next read of the queue while nothing but noise comes from it.
///
/// A program that writes hundreds of other files into a watched directory would wake the thread for each. After some
/// wake-ups in quick succession that concerned nobody, events are left to gather for a millisecond.
struct NoiseBreak: Sendable {
    private static let length = Duration.milliseconds(1)
    private static let patience = 4

    private var latest: ContinuousClock.Instant?
    private var count = 0
    private(set) var end = ContinuousClock.now

    var isDue: Bool { count > Self.patience }

    mutating func note(isConcerned: Bool, at now: ContinuousClock.Instant) {
        let isQuick = latest.map { now - $0 < Self.length * 3 } ?? false
        count = isConcerned || !isQuick ? 0 : count + 1
        latest = now
        end = now + Self.length
    }
}
