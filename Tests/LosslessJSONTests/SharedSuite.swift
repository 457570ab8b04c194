import Foundation

/// A folder of other people's test data, used in place: named by an environment variable, else beside the package.
enum SharedSuite {
    /// The parsing suite of JSONTestSuite.
    static let conformance = folder(
        "RHEOSTAT_JSONTESTSUITE", ["shared/conformance/JSONTestSuite/test_parsing"], child: "test_parsing")
    /// Settings files with edits and the exact texts they must give.
    static let corpus = folder("RHEOSTAT_CORPUS", ["shared/corpus"], child: nil)

    private static func folder(_ variable: String, _ beside: [String], child: String?) -> URL? {
        var candidates: [URL] = []
        if let path = ProcessInfo.processInfo.environment[variable] {
            let named = URL(filePath: path)
            candidates = (child.map { [named.appending(path: $0)] } ?? []) + [named]
        } else {
            let package = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL
            candidates = beside.map { package.appending(path: $0) }
        }
        return candidates.first {
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: $0.path, isDirectory: &isFolder) && isFolder.boolValue
        }
    }

    /// The files of a folder by name.
    static func files(_ folder: URL?, suffix: String) throws -> [URL] {
        guard let folder else { return [] }
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.lastPathComponent.hasSuffix(suffix) }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
    }

    static func bytes(_ file: URL) throws -> [UInt8] { try Array(Data(contentsOf: file)) }
}
