import Locking

/// Gives each name, type and default its number, the same one each time it is asked in this process.
final class KeyInterning: Sendable {
    static let shared = KeyInterning()

    /// More defaults than this for one name and type are not told apart any more: a default that differs on each
    /// evaluation must not make the table grow for ever.
    static let maximumDefaults = 16

    private struct Identity: Hashable {
        let name: String
        let type: ObjectIdentifier
    }

    private struct Variant: Sendable {
        let defaultValue: any SettingValue
        let index: Int
    }

    private struct State {
        var variants: [Identity: [Variant]] = [:]
        var count = 0
    }

    private let state = Lock(State())

    /// The number for this name, type and default.
    func index<Value: SettingValue>(name: String, defaultValue: Value) -> Int {
        let identity = Identity(name: name, type: ObjectIdentifier(Value.self))
        var known: [Variant] = []
        var compared = 0
        while true {
            // Comparing runs code of the user, so it is done outside of the lock, on what was there at that moment.
            for variant in known[compared...] {
                if let other = variant.defaultValue as? Value, other.isSame(as: defaultValue) { return variant.index }
            }
            compared = known.count
            let found: Int? = state.withLock { state in
                let now = state.variants[identity, default: []]
                if now.count > compared {
                    known = now
                    return nil
                }
                if let last = now.last, now.count >= Self.maximumDefaults { return last.index }
                let index = state.count
                state.count += 1
                state.variants[identity, default: []].append(Variant(defaultValue: defaultValue, index: index))
                return index
            }
            if let found { return found }
        }
    }

    /// How many keys are known; for tests.
    var count: Int { state.withLock { $0.count } }
}
