import Foundation
import LosslessJSON
import Testing

@Suite(.enabled(if: SharedSuite.conformance != nil, "JSONTestSuite is not here: set RHEOSTAT_JSONTESTSUITE"))
struct ConformanceTests {
    private func files(_ prefix: String) throws -> [(name: String, bytes: [UInt8])] {
        try SharedSuite.files(SharedSuite.conformance, suffix: ".json")
            .filter { $0.lastPathComponent.hasPrefix(prefix) }
            .map { ($0.lastPathComponent, try SharedSuite.bytes($0)) }
    }

    private func scans(_ bytes: [UInt8], _ options: JSONOptions) -> Bool {
        (try? JSONDocument(bytes, options: options)) != nil
    }

    @Test func `strict JSON accepts all that must be accepted and refuses all that must be refused`() throws {
        let valid = try files("y_")
        let invalid = try files("n_")
        try #require(!valid.isEmpty && !invalid.isEmpty)
        for file in valid { #expect(scans(file.bytes, .strict), "\(file.name)") }
        for file in invalid { #expect(!scans(file.bytes, .strict), "\(file.name)") }
    }

    @Test func `comments and trailing commas alone explain what the settings dialect accepts in addition`() throws {
        var options = JSONOptions.settings
        options.allowsNoValue = false
        for file in try files("y_") { #expect(scans(file.bytes, options), "\(file.name)") }
        let accepted = try files("n_").filter { scans($0.bytes, options) }.map(\.name)
        #expect(
            accepted == [
                "n_array_extra_comma.json", "n_array_number_and_comma.json", "n_object_trailing_comma.json",
                "n_object_trailing_comment.json", "n_object_trailing_comment_slash_open.json",
                "n_structure_object_with_comment.json",
            ])
    }

    @Test func `texts that the standard leaves open neither trap nor hang`() throws {
        for file in try files("i_") {
            guard let document = try? JSONDocument(file.bytes, options: .settings) else { continue }
            guard let root = document.root else { continue }
            for node in [root] + Array(root.elements) {
                _ = try? node.double()
                _ = try? node.integer(as: Int64.self)
                _ = try? node.string()
            }
        }
    }
}
