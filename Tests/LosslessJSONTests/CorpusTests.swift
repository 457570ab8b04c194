import Foundation
import LosslessJSON
import Testing

@Suite(.enabled(if: SharedSuite.corpus != nil, "the corpus is not here: set RHEOSTAT_CORPUS"))
struct CorpusTests {
    private struct Edits: Decodable {
        struct Edit: Decodable {
            enum Step: Decodable {
                case name(String), index(Int)
                init(from decoder: any Decoder) throws {
                    let container = try decoder.singleValueContainer()
                    if let index = try? container.decode(Int.self) {
                        self = .index(index)
                    } else {
                        self = .name(try container.decode(String.self))
                    }
                }
            }
            var k: Int?
            var op: String
            var path: [Step]
            var valueText: String?
            var to: String?
            var status: String
            var expected: String?

            var jsonPath: JSONPath {
                JSONPath(
                    path.map {
                        switch $0 {
                        case .name(let name): .name(name)
                        case .index(let index): .index(index)
                        }
                    })
            }
            var edit: JSONEdit {
                switch op {
                case "set": .set(jsonPath, text: Array((valueText ?? "").utf8))
                case "remove": .remove(jsonPath)
                default: .rename(jsonPath, to: to ?? "")
                }
            }
        }
        var file: String
        var malformed: Bool?
        var edits: [Edit]
    }

    /// The cases, their lists of edits read with the decoder under test.
    private func cases() throws -> [(edits: Edits, bytes: [UInt8], folder: URL)] {
        let lists = try SharedSuite.files(SharedSuite.corpus, suffix: ".edits.json")
        try #require(!lists.isEmpty)
        return try lists.map { list in
            let root = try #require(try JSONDocument(SharedSuite.bytes(list), options: .strict).root)
            let edits = try root.decode(Edits.self)
            let folder = list.deletingLastPathComponent()
            return (edits, try SharedSuite.bytes(folder.appending(path: edits.file)), folder)
        }
    }

    @Test func `a file written unchanged is identical to the byte`() throws {
        for (edits, bytes, _) in try cases() where edits.malformed != true {
            let document = try JSONDocument(bytes, options: .settings)
            #expect(document.bytes == bytes, "\(edits.file)")
            #expect(try document.edited([]).hasSameBytes(as: bytes), "\(edits.file)")
        }
    }

    @Test func `each edit gives the expected text to the byte`() throws {
        var count = 0
        for (edits, bytes, folder) in try cases() {
            for edit in edits.edits {
                count += 1
                let name = "\(edits.file) edit \(edit.k ?? 0) \(edit.op) \(edit.jsonPath)"
                guard let expectedFile = edit.expected else {
                    #expect(throws: (any Error).self, "\(name)") {
                        try JSONDocument(bytes, options: .settings).edited([edit.edit])
                    }
                    continue
                }
                let expected = try SharedSuite.bytes(folder.appending(path: expectedFile))
                let document = try JSONDocument(bytes, options: .settings)
                do {
                    let result = try document.edited([edit.edit]).bytes
                    #expect(result == expected, "\(name)\n\(firstDifference(result, expected))")
                } catch {
                    Issue.record("\(name): \(error)")
                }
            }
        }
        #expect(count > 0)
    }

    @Test func `the edits of a file in one batch equal the edits one by one`() throws {
        for (edits, bytes, _) in try cases() where edits.malformed != true {
            var gone: [JSONPath] = []
            var batch: [JSONEdit] = []
            for edit in edits.edits where !gone.contains(where: { edit.jsonPath.steps.starts(with: $0.steps) }) {
                batch.append(edit.edit)
                if edit.op != "set" { gone.append(edit.jsonPath) }
            }
            let document = try JSONDocument(bytes, options: .settings)
            var oneByOne = document
            for edit in batch { oneByOne = try oneByOne.edited([edit]) }
            let together = try document.edited(batch)
            #expect(
                together.hasSameBytes(as: oneByOne),
                "\(edits.file)\n\(firstDifference(together.bytes, oneByOne.bytes))")
        }
    }

    @Test func `setting an absent member and removing it gives the original`() throws {
        for (edits, bytes, _) in try cases() where edits.malformed != true {
            let document = try JSONDocument(bytes, options: .settings)
            guard let root = document.root else { continue }
            var objects: [JSONNode] = []
            collect(root, into: &objects)
            for object in objects {
                let path = object.path.appending(.name("a member that is absent"))
                let grown = try document.edited([.set(path, text: Array("[1, 2]".utf8))])
                #expect(grown.value(at: path)?.text == "[1, 2]")
                let back = try grown.edited([.remove(path)])
                #expect(
                    back.hasSameBytes(as: bytes), "\(edits.file) \(path)\n\(firstDifference(back.bytes, bytes))")
            }
        }
    }

    private func collect(_ node: JSONNode, into objects: inout [JSONNode]) {
        if node.kind == .object { objects.append(node) }
        for member in node.members { collect(member.value, into: &objects) }
        for element in node.elements { collect(element, into: &objects) }
    }

    private func firstDifference(_ found: [UInt8], _ expected: [UInt8]) -> String {
        let at =
            zip(found, expected).enumerated().first { $0.element.0 != $0.element.1 }?.offset
            ?? min(found.count, expected.count)
        let from = max(0, at - 40)
        func excerpt(_ bytes: [UInt8]) -> String {
            String(decoding: bytes[min(from, bytes.count)...].prefix(120), as: UTF8.self).debugDescription
        }
        return "found    \(excerpt(found))\nexpected \(excerpt(expected))"
    }
}
