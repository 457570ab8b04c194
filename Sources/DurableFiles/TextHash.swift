/// A 128-bit hash of a text, to know it again by: FNV-1a as its authors publish it.
///
/// It guards against chance, not against somebody who wants two texts to have the same hash. Cost: one multiplication a
/// byte.
struct TextHash: Hashable, Sendable, CustomStringConvertible {
    let value: UInt128

    init(of bytes: [UInt8]) {
        var hash: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
        bytes.withUnsafeBytes { buffer in
            for byte in buffer { hash = (hash ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013b }
        }
        value = hash
    }

    /// From the form that `description` gives; nil for anything else.
    init?(_ text: Substring) {
        guard let value = Hexadecimal.value(text, digits: 32) else { return nil }
        self.value = value
    }

    /// 32 lower-case hexadecimal digits.
    var description: String { Hexadecimal.text(value, digits: 32) }
}

/// Numbers of a fixed count of lower-case hexadecimal digits, as names of files carry them.
enum Hexadecimal {
    static func text(_ value: UInt128, digits: Int) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: max(digits - text.utf8.count, 0)) + text
    }

    /// Nil unless it is exactly that form.
    static func value(_ text: Substring, digits: Int) -> UInt128? {
        let isForm = text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        return isForm && text.utf8.count == digits ? UInt128(text, radix: 16) : nil
    }
}
