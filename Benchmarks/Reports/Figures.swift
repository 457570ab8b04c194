import Foundation

extension Double {
    /// Three digits that matter: 0.0123, 1.23, 123, 12,300.
    var threeDigits: String {
        guard isFinite, self > 0 else { return "0" }
        let digits = Int(log10(self).rounded(.down)) + 1
        if digits > 3 { return Int(rounded()).grouped }
        return String(format: "%.\(min(max(3 - digits, 0), 8))f", self)
    }

    /// As short as it goes: 0.1, 4, 0.005.
    var plain: String { String(format: "%g", self) }
}

extension Int {
    /// With a comma between thousands.
    var grouped: String {
        var digits = String(magnitude)
        var groups: [String] = []
        while digits.count > 3 {
            groups.insert(String(digits.suffix(3)), at: 0)
            digits.removeLast(3)
        }
        return (self < 0 ? "-" : "") + ([digits] + groups).joined(separator: ",")
    }
}

extension String {
    /// Filled with blanks to `width` columns; longer texts stay as they are.
    func padded(to width: Int, onTheRight: Bool = true) -> String {
        let blanks = String(repeating: " ", count: Swift.max(0, width - count))
        return onTheRight ? self + blanks : blanks + self
    }
}
