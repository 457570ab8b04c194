import Rheostat
import TestSupport

/// A backend in memory with one defect, to see that the conformance suite finds it.
final class BrokenBackend: SettingsBackend {
    enum Defect: String, CaseIterable, Sendable {
        /// A commit of nothing writes an empty object.
        case writesNothing
        /// The outcome holds the text that was there before.
        case answersWithOldText
        /// CRLF becomes LF.
        case normalisesLineEnds
        /// An error of the transform is taken for "nothing to write".
        case swallowsErrors
        /// Its place changes with each look.
        case moves
        /// A commit reads what was loaded last.
        case staleReads
        /// What somebody wrote since the reading is overwritten.
        case overwritesRivals
        /// Every second commit is not made.
        case dropsCommits
        /// A text that is gone is still loaded.
        case remembersText
        /// It gives no signals.
        case mute
        /// It gives no signals, and loads at first what was there when it was made.
        case watchesLate
        /// The load after a commit gives the text before it.
        case loadsOldText
        /// Signals that nobody takes are queued.
        case pilesUp
        /// Closing does not end the signals.
        case neverEnds
        /// Closing ends the signals of all backends on the place.
        case closesAll
        /// After closing, no backend on the place writes.
        case closesForGood
        /// Closing removes the text.
        case forgets
    }

    /// The place that several backends share.
    final class Place: Sendable {
        let text = MemoryBackend()
        let backends = Locked<[BrokenBackend]>([])
        let isDead = Locked(false)
    }

    private struct State: Sendable {
        var lastLoaded: SettingsBackendReading?
        var next: SettingsBackendReading?
        var commits = 0
        var looks = 0
    }

    private let defect: Defect
    private let place: Place
    private let base: MemoryBackend
    private let state = Locked(State())

    init(_ defect: Defect, on place: Place) async {
        self.defect = defect
        self.place = place
        base = MemoryBackend(sharing: place.text)
        if defect == .watchesLate {
            let reading = await base.load(isFirst: true)
            state.withLock { $0.next = reading }
        }
        if defect == .closesAll { place.backends.withLock { $0.append(self) } }
    }

    var location: String? {
        let looks = state.withLock { state in
            state.looks += 1
            return state.looks
        }
        return defect == .moves ? "place \(looks)" : nil
    }

    var standingProblems: [SettingsProblem] { [] }

    var signals: AsyncStream<Void> {
        switch defect {
        case .mute, .watchesLate: return AsyncStream { _ in }
        case .pilesUp:
            let (stream, continuation) = AsyncStream<Void>.makeStream()
            let signals = base.signals
            Task {
                for await _ in signals { for _ in 0..<3 { continuation.yield() } }
                continuation.finish()
            }
            return stream
        default: return base.signals
        }
    }

    nonisolated(nonsending) func load(isFirst: Bool) async -> SettingsBackendReading {
        var reading = await base.load(isFirst: isFirst)
        state.withLock { state in
            if let next = state.next { reading = next }
            state.next = nil
            if defect == .remembersText, case .missing = reading, let last = state.lastLoaded { reading = last }
            state.lastLoaded = reading
        }
        return reading
    }

    nonisolated(nonsending) func commit(
        _ transform: (SettingsBackendReading) throws -> [UInt8]?
    ) async throws -> SettingsBackendCommit {
        let before = await base.load(isFirst: false)
        let (commits, lastLoaded) = state.withLock { state in
            state.commits += 1
            return (state.commits, state.lastLoaded)
        }
        if place.isDead.value { throw SettingsError(.inputOutput, "the place is dead") }
        switch defect {
        case .writesNothing: return try await base.commit { try transform($0) ?? Array("{}".utf8) }
        case .answersWithOldText:
            let done = try await base.commit(transform)
            if case .text(let old) = before { return SettingsBackendCommit(text: old) }
            return SettingsBackendCommit(text: done.text.map { _ in [] })
        case .normalisesLineEnds:
            return try await base.commit { try transform($0)?.filter { $0 != UInt8(ascii: "\r") } }
        case .swallowsErrors: return try await base.commit { try? transform($0) }
        case .staleReads: return try await base.commit { _ in try transform(lastLoaded ?? .missing) }
        case .overwritesRivals:
            guard let new = try transform(before) else { return SettingsBackendCommit(text: nil) }
            return try await base.commit { _ in new }
        case .dropsCommits where commits.isMultiple(of: 2):
            return SettingsBackendCommit(text: try transform(before))
        case .loadsOldText:
            state.withLock { $0.next = before }
            return try await base.commit(transform)
        case .remembersText:
            let done = try await base.commit(transform)
            if let text = done.text { state.withLock { $0.lastLoaded = .text(text) } }
            return done
        default: return try await base.commit(transform)
        }
    }

    func close() {
        switch defect {
        case .neverEnds: break
        case .closesAll:
            let all = place.backends.withLock { backends in
                defer { backends = [] }
                return backends
            }
            for backend in all { backend.base.close() }
        case .closesForGood:
            place.isDead.withLock { $0 = true }
            base.close()
        case .forgets:
            base.close()
            place.text.replace(with: nil)
        default: base.close()
        }
    }
}
