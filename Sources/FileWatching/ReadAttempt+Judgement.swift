import SystemCalls

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension ReadAttempt {
    /// The attempt as the caller sees it, when it counts.
    var reading: FileReading {
        switch outcome {
        case .bytes(let bytes): bytes.isEmpty ? .empty : .content(bytes)
        case .missing: .missing
        case .unreadable(let error): .unreadable(error)
        case .notAFile(let kind): .notAFile(kind)
        case .tooLarge(let size, let limit): .tooLarge(size: size, limit: limit)
        case .changed: .unsettled
        }
    }

    private static let passing: Set<CInt> = [EMFILE, ENFILE, ENOMEM, EIO, EAGAIN, EBUSY, ETIMEDOUT]

    var finding: LookSchedule.Finding {
        switch outcome {
        case .bytes(let bytes): bytes.isEmpty ? .empty : .content
        case .missing: .missing
        case .unreadable(let error): Self.passing.contains(error.code) ? .shortage : .trouble
        case .notAFile, .tooLarge: .trouble
        case .changed: .changed
        }
    }
}

extension HubState {
    /// Whether what a look of `watcher` found counts.
    mutating func judge(
        _ attempt: ReadAttempt, of look: LookSchedule.Look, isLast: Bool, for watcher: Watcher, at now: Instant
    ) -> LookSchedule.Verdict {
        let verdict =
            subscriptions[watcher]?.schedule.judge(
                attempt.finding, signature: attempt.signature, isCurrent: attempt.isCurrent, of: look, isLast: isLast,
                at: now) ?? .settled
        // What has been looked at is not what a poll has to tell of; what did not settle has its own deadline.
        if verdict != .again { subscriptions[watcher]?.seen = SeenSignature(signature: attempt.signature) }
        touch(watcher)
        return verdict
    }
}
