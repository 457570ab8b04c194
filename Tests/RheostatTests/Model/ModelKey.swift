import Rheostat
import TestSupport

/// A key of the model-based test with its few values, all seen as their JSON text.
struct ModelKey: Sendable {
    let name: String
    let defaultText: String
    /// The texts of values that the key takes.
    let valid: [String]
    /// The texts of JSON values that it refuses when they are edited in.
    let invalid: [String]

    let read: @Sendable (SettingsStore) -> String
    let set: @Sendable (SettingsStore, String) async throws -> Void
    let assign: @Sendable (SettingsStore, String) -> Void
    let assignRefused: @Sendable (SettingsStore) -> Void
    let reset: @Sendable (SettingsStore) async throws -> Void
    let put: @Sendable (inout SettingsTransaction, String) throws -> Void
    let follow: @Sendable (SettingsStore, Follower.Kind) -> Follower
    let key: SettingKeys

    init<Value: SettingValue>(
        _ key: SettingKey<Value>, _ values: [(text: String, value: Value)], refused: Value, invalid: [String]
    ) {
        func text(_ value: Value) -> String {
            values.first { $0.value.isSame(as: value) }?.text ?? "no text for \(value)"
        }
        func value(_ text: String) -> Value { values.first { $0.text == text }?.value ?? key.defaultValue }
        // The closures below outlive this initialiser; what they need is copied.
        let texts: @Sendable (Value) -> String = { value in
            values.first { $0.value.isSame(as: value) }?.text ?? "no text for \(value)"
        }
        let decoded: @Sendable (String) -> Value = { text in
            values.first { $0.text == text }?.value ?? key.defaultValue
        }
        name = key.name
        defaultText = text(key.defaultValue)
        valid = values.map(\.text)
        self.invalid = invalid
        self.key = key
        read = { texts($0[key]) }
        set = { try await $0.set(key, to: decoded($1)) }
        assign = { store, text in store[key] = decoded(text) }
        assignRefused = { store in store[key] = refused }
        reset = { try await $0.reset(key) }
        put = { try $0.set(key, to: decoded($1)) }
        follow = { store, kind in
            switch kind {
            case .values:
                var iterator = store.values(of: key).makeAsyncIterator()
                return Follower(kind, of: key.name) { await iterator.next(isolation: #isolation).map { [texts($0)] } }
            case .joined, .buffered:
                let buffering = kind == .joined ? ChangeBuffering.joining : .buffering(1_000)
                var iterator = store.changes(of: key, buffering).makeAsyncIterator()
                return Follower(kind, of: key.name) {
                    await iterator.next(isolation: #isolation).map { [texts($0.old), texts($0.new), "\($0.cause)"] }
                }
            }
        }
    }

    static let all: [ModelKey] = [
        ModelKey(
            SettingKey("n.a", default: 1, in: 0...1000), (0...5).map { ("\($0)", $0) }, refused: 2_000,
            invalid: ["-1", "\"1\"", "1.5", "null", "[]"]),
        ModelKey(SettingKey("n.b", default: 2), (1...4).map { ("\($0)", $0) }, refused: 2, invalid: ["true", "{}"]),
        ModelKey(
            SettingKey("s", default: "x"), ["x", "y", "é\n\"", ""].map { (quoted($0), $0) }, refused: "x",
            invalid: ["1", "null"]),
        ModelKey(
            SettingKey<Int?>("o"), [("null", nil), ("7", 7), ("8", 8)], refused: nil, invalid: ["\"7\""]),
        ModelKey(
            SettingKey("d", default: 0.5), [("0.5", 0.5), ("-0.0", -0.0), ("0.0", 0.0), ("1e300", 1e300)],
            refused: .nan, invalid: ["\"0.5\"", "9007199254740993"]),
    ]

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\"", with: "\\\"").replacing("\n", with: "\\n") + "\""
    }
}

/// One stream, and what it must still give.
final class Follower {
    enum Kind: CaseIterable { case values, joined, buffered }

    struct Wrong: Error, CustomStringConvertible { let description: String }

    let kind: Kind
    let name: String
    private let next: () async -> [String]?
    /// For `values`: what was given last.
    private var last: String?
    /// Events that have happened and were not taken.
    private var pending: [[String]] = []

    init(_ kind: Kind, of name: String, next: @escaping () async -> [String]?) {
        self.kind = kind
        self.name = name
        self.next = next
    }

    /// An event that the stream must tell of.
    func note(old: String, new: String, cause: String) { pending.append([old, new, cause]) }

    /// Takes all that must be there, and nothing else.
    func drain(now: String) async throws {
        let expected: [[String]]
        switch kind {
        case .values: expected = now == last ? [] : [[now]]
        case .buffered: expected = pending
        case .joined:
            if let first = pending.first, let final = pending.last, first[0] != final[1] {
                expected = [[first[0], final[1], final[2]]]
            } else {
                expected = []
            }
        }
        for event in expected {
            let got = await next()
            guard got == event else {
                throw Wrong(description: "\(kind) of \(name): expected \(event), got \(got ?? ["the end"])")
            }
        }
        if kind == .values { last = now }
        pending = []
    }

    /// The stream must have ended.
    func expectEnd() async throws {
        if let more = await next() { throw Wrong(description: "\(kind) of \(name): expected the end, got \(more)") }
    }
}
