import Rheostat

/// Keys that can be read in turn as cheaply as the static constants that keys are: those are never retained, while an
/// array hands out its elements retained, which costs several times a read.
struct StandingKeys<Value: SettingValue>: @unchecked Sendable {
    // Sound: keys are Sendable, and `keys` keeps them alive.

    private let keys: [SettingKey<Value>]
    private let references: [Unmanaged<SettingKey<Value>>]

    init(_ keys: [SettingKey<Value>]) {
        self.keys = keys
        references = keys.map(Unmanaged.passUnretained)
    }

    var count: Int { keys.count }

    @inline(__always)
    func read(_ index: Int, _ body: (SettingKey<Value>) -> Void) {
        references[index]._withUnsafeGuaranteedRef { body($0) }
    }
}
