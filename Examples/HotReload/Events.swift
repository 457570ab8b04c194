import Rheostat

/// What happened to the service's settings, in words.
enum Event: Sendable, CustomStringConvertible {
    case change(String)
    case problem(String)

    var description: String {
        switch self {
        case .change(let text): "   change         \(text)"
        case .problem(let text): "   problem        \(text)"
        }
    }
}

/// All that a store tells about the service's settings, put into one stream.
enum Events {
    /// The events from now on. The stream ends when the store is closed.
    static func of(_ settings: SettingsStore) -> AsyncStream<Event> {
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        // Each subscription begins here, not when its task runs: nothing that happens after this function is missed.
        let followers = [
            follow(settings.changes(of: .greeting), "greeting", continuation),
            follow(settings.changes(of: .logLevel), "log.level", continuation),
            follow(settings.changes(of: .connectionLimit), "limits.connections", continuation),
            follow(settings.problems(), continuation),
        ]
        Task {
            for follower in followers { await follower.value }
            continuation.finish()
        }
        return events
    }

    private static func follow<Value>(
        _ changes: AsyncStream<SettingChange<Value>>, _ name: String, _ events: AsyncStream<Event>.Continuation
    ) -> Task<Void, Never> {
        Task {
            for await change in changes {
                let values = "\(quoted(change.old)) -> \(quoted(change.new))"
                events.yield(.change("\(name): \(values)   (\(change.cause), revision \(change.revision))"))
            }
        }
    }

    private static func follow(
        _ problems: AsyncStream<SettingsProblem>, _ events: AsyncStream<Event>.Continuation
    ) -> Task<Void, Never> {
        Task {
            for await problem in problems { events.yield(.problem(problem.description)) }
        }
    }

    private static func quoted(_ value: some SettingValue) -> String {
        (value as? String)?.debugDescription ?? "\(value)"
    }
}
