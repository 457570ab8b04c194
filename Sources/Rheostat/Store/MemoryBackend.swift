import Locking

/// Keeps the text in memory, for tests and for settings that need no file.
///
/// A value given to two stores in turn lets the second go on from the first one's text. ``init(sharing:)`` makes another
/// backend on the same text, for two stores at one time. ``replace(with:)`` plays an edit from outside.
public final class MemoryBackend: SettingsBackend {
    /// One text, and who wants to know of its changes.
    private final class Place: Sendable {
        struct State: Sendable {
            var text: [UInt8]?
            var followers: [ObjectIdentifier: [AsyncStream<Void>.Continuation]] = [:]
        }

        let state: Lock<State>

        init(_ text: [UInt8]?) { state = Lock(State(text: text)) }

        /// Says "look again" to all but the backend that made the change.
        func signal(except own: MemoryBackend? = nil) {
            let own = own.map { ObjectIdentifier($0) }
            let followers = state.withLock { state in state.followers.filter { $0.key != own }.values.flatMap { $0 } }
            for follower in followers { follower.yield() }
        }
    }

    private let place: Place

    /// Starts with `text`, or with none.
    public init(_ text: String? = nil) { place = Place(text.map { Array($0.utf8) }) }

    /// Another backend on the text of `other`. Each sees what the other commits as an edit from outside; each is closed by
    /// itself.
    public init(sharing other: MemoryBackend) { place = other.place }

    deinit { close() }

    /// No place.
    public var location: String? { nil }

    /// None: memory does not fail.
    public var standingProblems: [SettingsProblem] { [] }

    /// "Look again", after ``replace(with:)`` and after a commit through another backend on the same text. The stream
    /// begins when it is asked for, and ends when the backend is closed.
    public var signals: AsyncStream<Void> {
        let (signals, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        place.state.withLock { $0.followers[ObjectIdentifier(self), default: []].append(continuation) }
        return signals
    }

    /// The text now; `nil` when there is none.
    public var currentText: String? { place.state.withLock { $0.text }.map { String(decoding: $0, as: UTF8.self) } }

    /// Replaces the text, as an edit from outside; `nil` removes it.
    public func replace(with new: String?) {
        let bytes = new.map { Array($0.utf8) }
        place.state.withLock { $0.text = bytes }
        place.signal()
    }

    /// The text now.
    public nonisolated(nonsending) func load(isFirst: Bool) async -> SettingsBackendReading {
        Self.reading(place.state.withLock { $0.text })
    }

    /// Compare and swap, repeated until nobody came between.
    public nonisolated(nonsending) func commit(
        _ transform: (SettingsBackendReading) throws -> [UInt8]?
    ) async throws -> SettingsBackendCommit {
        while true {
            let old = place.state.withLock { $0.text }
            guard let new = try transform(Self.reading(old)) else { return SettingsBackendCommit(text: nil) }
            let isSwapped = place.state.withLock { state in
                guard state.text == old else { return false }
                state.text = new
                return true
            }
            if isSwapped {
                place.signal(except: self)
                return SettingsBackendCommit(text: new)
            }
        }
    }

    /// Ends the signals. The text stays.
    public func close() {
        let followers = place.state.withLock { $0.followers.removeValue(forKey: ObjectIdentifier(self)) }
        for follower in followers ?? [] { follower.finish() }
    }

    private static func reading(_ text: [UInt8]?) -> SettingsBackendReading {
        guard let text else { return .missing }
        return text.isEmpty ? .empty : .text(text)
    }
}
