import Foundation

/// A directory of its own for one test, removed afterwards.
///
/// It lies under `/var/tmp`: below `/tmp` editors such as vim switch their backups off and save in another way.
package final class TemporaryDirectory: Sendable {
    package let path: String

    package init() throws {
        var template = Array("/var/tmp/rheostat-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of the entry `name` in this directory.
    package func file(_ name: String) -> String { path + "/" + name }

    /// Writes `text` in place and returns the path.
    @discardableResult
    package func write(_ text: String, to name: String = "settings.json") throws -> String {
        let path = file(name)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// Writes `text` beside `name` and renames it over, as most editors and tools do.
    @discardableResult
    package func replace(_ name: String = "settings.json", with text: String) throws -> String {
        let temporary = try write(text, to: ".edit-\(UUID().uuidString)")
        guard rename(temporary, file(name)) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return file(name)
    }

    /// The text of `name`.
    package func read(_ name: String = "settings.json") throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: file(name))), as: UTF8.self)
    }

    /// The names in this directory, sorted.
    package func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
}
