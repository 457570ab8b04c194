import DurableFiles
import Foundation
import SystemCalls
import TestSupport
import Testing

/// A way through the protocol, for tests that let each of its calls go wrong.
struct ProtocolCase: Sendable, CustomTestStringConvertible {
    let name: String
    /// The content before, nil if there is no file.
    var old: String? = "old"
    var file = "settings.json"
    /// What another program saves just before the first exchange.
    var edit: String?
    /// Whether that text is merged, or refused.
    var merges = true
    /// Calls that this file system does not have, or refuses.
    var refused: [FileCall.Name: CInt] = [:]

    var testDescription: String { name }

    static let all = [
        ProtocolCase(name: "replace"),
        ProtocolCase(name: "create", old: nil),
        ProtocolCase(name: "create in new directories", old: nil, file: "a/b/settings.json"),
        ProtocolCase(name: "merge an edit", edit: "theirs"),
        ProtocolCase(name: "refuse an edit", edit: "theirs", merges: false),
        ProtocolCase(name: "rename without exchange", refused: [.exchange: EINVAL]),
        ProtocolCase(name: "create by link", old: nil, refused: [.renameNoReplace: ENOSYS]),
        ProtocolCase(name: "write in place", refused: [.exchange: EBUSY]),
        ProtocolCase(name: "write a shorter text in place", old: "a long old text", refused: [.exchange: EBUSY]),
    ]

    /// What the file holds when all went well.
    var result: String { edit.map { merges ? $0 + "+ours" : $0 } ?? "new" }

    /// A directory in the state before.
    func makeDirectory() throws -> QuickDirectory {
        let directory = try QuickDirectory()
        if let old { try directory.write(old, to: file) }
        return directory
    }

    /// The file, undisturbed and not synced.
    func durable(in directory: QuickDirectory) -> DurableFile {
        DurableFile(directory, file) { $0.durability = .renamed }
    }

    /// The content now, nil if there is no file.
    func text(in directory: QuickDirectory) -> String? { try? directory.read(file) }

    /// All names in the file's directory.
    func names(in directory: QuickDirectory) -> [String] {
        let path = (directory.file(file) as NSString).deletingLastPathComponent
        return (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    }

    /// Goes the way once; `act` decides of each call, after what belongs to the case.
    func run(
        in directory: QuickDirectory, durability: DurableFile.Options.Durability = .full,
        _ act: @escaping @Sendable (FileCall, Int) -> FileCalls.Verdict
    ) -> (result: Result<Replacement, any Error>, recorder: Recorder) {
        let gate = Gate(before: .exchange) { [edit, file] in
            if let edit { _ = try? directory.replace(file, with: edit) }
        }
        let recorder = Recorder { [refused] call, number in
            _ = gate.seam.before?(call)
            if let code = refused[call.name] { return .fail(code) }
            let verdict = act(call, number)
            // Syncs are what takes the time, and say nothing here.
            if case .proceed = verdict, call.name == .fsync { return .pretend(0) }
            return verdict
        }
        let durable = DurableFile(directory, file) {
            $0.calls = recorder.seam
            $0.durability = durability
        }
        return (
            Result {
                try durable.write("new") { bytes in
                    if !merges { throw Unexpected() }
                    return bytes + Array("+ours".utf8)
                }
            }, recorder
        )
    }
}
