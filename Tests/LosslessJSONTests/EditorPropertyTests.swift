import LosslessJSON
import Testing

/// What must hold for any text and any edit, on many random ones.
@Suite struct EditorPropertyTests {
    private static let rounds: UInt64 = 2_000

    private func document(_ text: String) throws -> JSONDocument { try JSONDocument(text: text, options: .settings) }

    private func text(_ document: JSONDocument) -> String { String(decoding: document.bytes, as: UTF8.self) }

    private func randomEdit(_ random: inout RandomText) -> JSONEdit {
        let path = JSONPath(names: random.path())
        switch random.below(6) {
        case 0, 1: return .remove(path)
        case 2: return .adjust(path, text: Array(random.value(depth: 2).utf8))
        default: return .set(path, text: Array(random.value(depth: 3).utf8))
        }
    }

    @Test func `an edit changes what was asked for and nothing else, whatever the text`() throws {
        for seed in 0..<Self.rounds {
            var random = RandomText(seed: seed)
            let before = random.document()
            let edit = randomEdit(&random)
            let old = try document(before)
            do {
                let new = try old.edited([edit])
                switch edit {
                case .set(let path, let text): #expect(new.value(at: path)?.bytes == text)
                case .remove(let path): #expect(new.find(path) == nil)
                default: break
                }
                // A second time it finds nothing to do.
                #expect(try new.edited([edit]).hasSameBytes(as: new), "seed \(seed)\n\(before)\n\(edit)\n\(text(new))")
            } catch JSONEditError.notAContainer {
            } catch {
                Issue.record("seed \(seed): \(error)\n\(before)\n\(edit)")
                return
            }
        }
    }

    @Test func `a batch equals its edits one by one`() throws {
        for seed in 0..<Self.rounds {
            var random = RandomText(seed: seed &+ 1_000_000)
            let before = random.document()
            let old = try document(before)
            var oneByOne = old
            var edits: [JSONEdit] = []
            for _ in 0..<random.below(8) {
                let edit = randomEdit(&random)
                guard let next = try? oneByOne.edited([edit]) else { continue }
                oneByOne = next
                edits.append(edit)
            }
            do {
                let together = try old.edited(edits)
                #expect(
                    together.hasSameBytes(as: oneByOne),
                    "seed \(seed)\n\(before)\n\(edits)\ntogether:\n\(text(together))\none by one:\n\(text(oneByOne))")
                if !together.hasSameBytes(as: oneByOne) { return }
            } catch {
                Issue.record("seed \(seed): \(error)\n\(before)\n\(edits)")
                return
            }
        }
    }

    @Test func `setting an absent member of an object and removing it restores every byte`() throws {
        for seed in 0..<Self.rounds {
            var random = RandomText(seed: seed &+ 2_000_000)
            let before = random.document()
            let old = try document(before)
            var objects: [JSONPath] = []
            collect(old.root, &objects)
            guard !objects.isEmpty else { continue }
            let path = random.pick(objects).appending(.name("absent"))
            do {
                let grown = try old.edited([.set(path, text: [0x31])])
                let back = try grown.edited([.remove(path)])
                #expect(
                    text(back) == before,
                    "seed \(seed) \(path)\n\(before)\ngrown:\n\(text(grown))\nback:\n\(text(back))")
                if text(back) != before { return }
            } catch {
                Issue.record("seed \(seed): \(error)\n\(before)\n\(path)")
                return
            }
        }
    }

    /// The paths of objects whose paths lead to themselves (no later spelling hides them).
    private func collect(_ node: JSONNode?, _ objects: inout [JSONPath]) {
        guard let node else { return }
        if node.kind == .object, node.document.value(at: node.path)?.byteRange == node.byteRange {
            objects.append(node.path)
        }
        for member in node.members { collect(member.value, &objects) }
        for element in node.elements { collect(element, &objects) }
    }

    @Test func `comments survive unless their member goes`() throws {
        for seed in 0..<Self.rounds {
            var random = RandomText(seed: seed &+ 3_000_000)
            let old = try document(random.document())
            let path = JSONPath(names: random.path())
            guard let new = try? old.edited([.set(path, text: [0x31])]), old.find(path)?.value.kind != .object,
                old.find(path)?.value.kind != .array
            else { continue }
            let before = comments(text(old))
            #expect(before == comments(text(new)), "seed \(seed)\n\(text(old))\n\(path)\n\(text(new))")
        }
    }

    private func comments(_ text: String) -> [String] {
        text.matches(of: /\/\* [cm][0-9]* |\/\/ l[0-9]+|\/\/ above [0-9]+|\/\/ behind [0-9]+|\/\* in/).map {
            String($0.output)
        }
    }

    @Test func `no change of a path's value is missing from the differences`() throws {
        for seed in 0..<Self.rounds {
            var random = RandomText(seed: seed &+ 4_000_000)
            let first = try document(random.document())
            var second = try document(random.document())
            if random.below(2) == 0, let edited = try? first.edited([randomEdit(&random), randomEdit(&random)]) {
                second = edited
            }
            let differences = JSONDocument.differences(from: first, to: second).map { parts($0) }
            for _ in 0..<20 {
                let names = random.path()
                let old = first.value(at: JSONPath(names: names))
                let new = second.value(at: JSONPath(names: names))
                let isSame: Bool
                if let old, let new { isSame = old.isEquivalent(to: new) } else { isSame = old == nil && new == nil }
                if isSame { continue }
                #expect(
                    differences.contains { $0.starts(with: names) || names.starts(with: $0) },
                    "seed \(seed) \(names)\n\(text(first))\n---\n\(text(second))\n\(differences)")
            }
            #expect(JSONDocument.differences(from: first, to: first).isEmpty)
        }
    }

    private func parts(_ path: JSONPath) -> [String] {
        path.steps.flatMap { (step) -> [String] in
            guard case .name(let name) = step else { return [] }
            return name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        }
    }
}
