import Testing

@testable import Rheostat

/// The value that JSON text stands for.
func value<Value: SettingValue>(_ type: Value.Type = Value.self, of json: String) throws -> Value {
    try RawJSON(json).decode(as: type)
}

/// The stored form of a value.
func stored(_ value: some SettingValue) throws -> String { String(decoding: try value.jsonText(), as: UTF8.self) }

/// The JSON string that holds a text.
func quoted(_ text: String) -> String { "\"\(text)\"" }

/// The message of the refusal of JSON text, or `nil` if it is taken.
func refusal<Value: SettingValue>(of json: String, as type: Value.Type) throws -> String? {
    do {
        _ = try value(type, of: json)
        return nil
    } catch let error as SettingValueError {
        #expect(error.line > 0 && error.column > 0, "a refusal says where")
        return "\(error)"
    }
}

/// The message of the refusal to write a value, or `nil` if it is written.
func refusal(toWrite value: some SettingValue) throws -> String? {
    do {
        _ = try stored(value)
        return nil
    } catch let error as SettingValueError {
        return "\(error)"
    }
}

/// A generator of the same numbers for the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
