import Locking

/// Keeps the text in memory, for tests and for settings that need no file.
///
/// A value given to two stores in turn lets the second go on from the first one's text. ``replace(with:)`` plays an edit
/// from outside.
public final class MemoryBackend: SettingsBackend {
    private let text: Lock<[UInt8]?>
    private let continuation: AsyncStream<Void>.Continuation

    /// "Look again", after ``replace(with:)``.
    public let signals: AsyncStream<Void>

    /// Starts with `text`, or with none.
    public init(_ text: String? = nil) {
        self.text = Lock(text.map { Array($0.utf8) })
        (signals, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// No place.
    public var location: String? { nil }

    /// None: memory does not fail.
    public var standingProblems: [SettingsProblem] { [] }

    /// The text now; `nil` when there is none.
    public var currentText: String? { text.withLock { $0 }.map { String(decoding: $0, as: UTF8.self) } }

    /// Replaces the text, as an edit from outside; `nil` removes it.
    public func replace(with new: String?) {
        let bytes = new.map { Array($0.utf8) }
        text.withLock { $0 = bytes }
        continuation.yield()
    }

    /// The text now.
    public nonisolated(nonsending) func load(isFirst: Bool) async -> SettingsBackendReading {
        Self.reading(text.withLock { $0 })
    }

    /// Compare and swap, repeated until nobody came between.
    public nonisolated(nonsending) func commit(
        _ transform: (SettingsBackendReading) throws -> [UInt8]?
    ) async throws -> SettingsBackendCommit {
        while true {
            let old = text.withLock { $0 }
            guard let new = try transform(Self.reading(old)) else { return SettingsBackendCommit(text: nil) }
            let isSwapped = text.withLock { text in
                guard text == old else { return false }
                text = new
                return true
            }
            if isSwapped { return SettingsBackendCommit(text: new) }
        }
    }

    /// Ends the signals.
    public func close() { continuation.finish() }

    private static func reading(_ text: [UInt8]?) -> SettingsBackendReading {
        guard let text else { return .missing }
        return text.isEmpty ? .empty : .text(text)
    }
}
