import Rheostat

extension Group {
    /// From a change to those who follow it.
    static let stream = Group(name: "stream", title: "one change, and those who follow it") {
        let rows = try await StreamRows()
        return MadeGroup(rows: rows.all, finish: rows.finish)
    }
}

/// The rows of the group, and the stores and streams that they use.
@MainActor
private final class StreamRows {
    private let delivery: SettingsStore
    private let awaited: SettingsStore
    private let quiet: CrowdedStore
    private let crowded: CrowdedStore
    private let popular: PopularKey
    private let lessPopular: PopularKey
    private let bareMany = BareStreams(count: 10_000)

    init() async throws {
        delivery = try await SettingsStore.inMemory(keys: [SettingKeys.counter])
        awaited = try await SettingsStore.inMemory(keys: [SettingKeys.counter])
        quiet = try await CrowdedStore(subscribers: false)
        crowded = try await CrowdedStore(subscribers: true)
        popular = try await PopularKey(subscribers: 10_000)
        lessPopular = try await PopularKey(subscribers: 1_000)
    }

    func finish() async throws {
        for store in [delivery, awaited, quiet.settings, crowded.settings, popular.settings, lessPopular.settings] {
            try await store.close()
        }
    }

    var all: [Row] {
        let (delivery, awaited) = (delivery, awaited)
        let (quiet, crowded) = (quiet.settings, crowded.settings)
        let (popular, lessPopular, bareMany) = (popular, lessPopular, bareMany)
        return [
            Row(
                "delivery", "assignment to a loop",
                targets: [.atMost(3, of: "bareDelivery", "bare stream")],
                .awaited { count in
                    try await PingPong.run(count, over: delivery.values(of: .counter)) { delivery[.counter] = $0 }
                }),
            Row(
                "bareDelivery", "bare AsyncStream continuation to a loop",
                .awaited { count in
                    let (stream, continuation) = AsyncStream.makeStream(
                        of: Int.self, bufferingPolicy: .bufferingNewest(1))
                    try await PingPong.run(count, over: stream) { continuation.yield($0) }
                }),
            Row(
                "awaitedDelivery", "awaited set to a loop",
                .awaited { count in
                    try await PingPong.run(count, over: awaited.values(of: .counter)) {
                        try await awaited.set(.counter, to: $0)
                    }
                }),
            Row(
                "crowded", "set beside 10,000 followed keys",
                targets: [.atMost(1.2, of: "quiet", "without")],
                .awaited { count in
                    for number in 0..<count { try await crowded.set(.counter, to: number & 1) }
                }),
            Row(
                "quiet", "set beside 10,000 other keys",
                .awaited { count in
                    for number in 0..<count { try await quiet.set(.counter, to: number & 1) }
                }),
            Row(
                "popular", "change with 10,000 subscribers",
                targets: [
                    .atMost(3, of: "bareMany", "bare yields"), .atMost(12, of: "lessPopular", "1,000 subscribers"),
                ],
                .loop(operations: 2) { passes in
                    for _ in 0..<passes { popular.changeTwice() }
                }),
            Row(
                "lessPopular", "change with 1,000 subscribers",
                .loop(operations: 2) { passes in
                    for _ in 0..<passes { lessPopular.changeTwice() }
                }),
            Row(
                "bareMany", "yield to 10,000 continuations",
                .loop(operations: 1) { passes in
                    for number in 0..<passes { bareMany.yield(number) }
                }),
        ]
    }
}

/// A consumer in a task of its own answers each number it is given before the next is sent.
private enum PingPong {
    static func run(
        _ count: Int, over stream: AsyncStream<Int>, send: @Sendable (Int) async throws -> Void
    ) async throws {
        let (answers, answer) = AsyncStream.makeStream(of: Int.self)
        let consumer = Task {
            for await number in stream { answer.yield(number) }
            answer.finish()
        }
        var received = answers.makeAsyncIterator()
        // Numbers go on from run to run, since an equal value would be no change.
        let base = Int.random(in: 1..<1 << 40)
        for number in base..<(base + count) {
            try await send(number)
            while let answer = await received.next(), answer != number {}
        }
        consumer.cancel()
        await consumer.value
    }
}

/// A store with 10,000 keys besides the one that is changed.
@MainActor
private final class CrowdedStore {
    let settings: SettingsStore
    private var streams: [AsyncStream<Int>] = []

    init(subscribers: Bool) async throws {
        let keys = (0..<10_000).map { SettingKey("crowd.area\($0 / 100).key\($0)", default: 0) }
        settings = try await SettingsStore.inMemory(keys: [SettingKeys.counter] + keys)
        if subscribers { streams = keys.map { settings.values(of: $0) } }
    }
}

/// A key with many subscribers, none of whom takes anything: what a change costs the one who makes it.
private final class PopularKey: @unchecked Sendable {
    // Sound: immutable after it is made; streams are only kept.
    let settings: SettingsStore
    private let streams: [AsyncStream<Int>]

    init(subscribers: Int) async throws {
        settings = try await SettingsStore.inMemory(keys: [SettingKeys.counter])
        let settings = settings
        streams = (0..<subscribers).map { _ in settings.values(of: .counter) }
    }

    /// There and back, so that each is a change.
    func changeTwice() {
        settings[.counter] = 1
        settings[.counter] = 2
    }
}

/// Bare streams that keep the newest.
private final class BareStreams: @unchecked Sendable {
    // Sound: immutable after it is made; continuations may be used from any thread.
    private let streams: [AsyncStream<Int>]
    private let continuations: [AsyncStream<Int>.Continuation]

    init(count: Int) {
        let made = (0..<count).map { _ in
            AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
        }
        streams = made.map(\.stream)
        continuations = made.map(\.continuation)
    }

    func yield(_ number: Int) { for continuation in continuations { continuation.yield(number) } }
}
