import Foundation
import LosslessJSON
import Testing

/// The same texts read by Foundation. Left out is where Foundation is known to differ: repeated names, lone surrogates,
/// huge exponents.
@Suite struct DifferentialTests {
    @Test func `generated documents read as JSONSerialization reads them`() throws {
        for seed in 0..<400 as Range<UInt64> {
            var random = RandomText(seed: seed &+ 9_000_000)
            random.isLoose = false
            random.repeatsNames = false
            let text = random.document()
            let expected = try JSONSerialization.jsonObject(with: Data(text.utf8))
            let root = try #require(try JSONDocument(text: text, options: .strict).root)
            #expect(try isSame(root, expected), "seed \(seed)\n\(text)")
        }
    }

    @Test func `what one accepts of a damaged text the other accepts`() throws {
        var refused = 0
        for seed in 0..<3_000 as Range<UInt64> {
            var random = RandomText(seed: seed &+ 8_000_000)
            random.isLoose = false
            random.repeatsNames = false
            var bytes = Array(random.document().utf8)
            let at = random.below(bytes.count)
            switch random.below(3) {
            case 0: bytes.remove(at: at)
            case 1: bytes.insert(random.pick(Array("{}[]\",:0e-.\\ \n\u{1}/t".utf8)), at: at)
            default: bytes[at] = random.pick(Array("{}[]\",:0e-.\\ \n\u{1}/t".utf8))
            }
            let ours = (try? JSONDocument(bytes, options: .strict)) != nil
            // Foundation accepts a trailing comma and takes a lone surrogate, and an exponent beyond Double, for an error.
            if isQuirk(bytes) { continue }
            let theirs = (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil
            if !ours { refused += 1 }
            #expect(ours == theirs, "seed \(seed) \(String(decoding: bytes, as: UTF8.self).debugDescription)")
        }
        #expect(refused > 500)
    }

    private func isQuirk(_ bytes: [UInt8]) -> Bool {
        var lenient = JSONOptions.strict
        lenient.allowsTrailingCommas = true
        guard let document = try? JSONDocument(bytes, options: lenient), let root = document.root else { return false }
        return (try? JSONDocument(bytes, options: .strict)) == nil || isBeyondFoundation(root)
    }

    private func isBeyondFoundation(_ node: JSONNode) -> Bool {
        if node.kind == .number { return (try? node.double()) == nil }
        if node.kind == .string { return (try? node.string()) == nil }
        return node.members.contains { (try? $0.nameNode.string()) == nil || isBeyondFoundation($0.value) }
            || node.elements.contains { isBeyondFoundation($0) }
    }

    private func isSame(_ node: JSONNode, _ value: Any) throws -> Bool {
        switch node.kind {
        case .null: return value is NSNull
        case .true, .false: return try (value as? Bool) == node.bool()
        case .string: return try (value as? String) == node.string()
        case .number:
            let double = try node.double()
            return ((value as? NSNumber)?.doubleValue ?? value as? Double) == double
        case .array:
            guard let values = value as? [Any], values.count == node.count else { return false }
            return try zip(node.elements, values).allSatisfy { try isSame($0, $1) }
        case .object:
            guard let values = value as? [String: Any], values.count == node.count else { return false }
            return try node.members.allSatisfy { member in
                guard let other = values[member.name] else { return false }
                return try isSame(member.value, other)
            }
        }
    }
}
