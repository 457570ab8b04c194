import DurableFiles
import Foundation
import SystemCalls
import Testing

/// What a power loss leaves: the calls of a replacement are recorded and replayed on a model of a disk, which is cut off
/// after each of them.
///
/// Two disks are modelled. On both, a file's content is certain only as of its last sync: otherwise it may be whole,
/// empty, or cut anywhere. The *ordered* disk (ext4, XFS, btrfs: one journal) keeps the changes of names in order, and
/// loses any number of the last ones that no sync of the directory followed. The *unordered* disk keeps, for each name
/// by itself, any of the files that it led to since the last sync of the directory.
@Suite struct PowerLossTests {
    /// A file of the model.
    private struct Inode {
        var written: [UInt8] = []
        var synced: [UInt8]?
    }

    /// A disk of which every former state is remembered.
    private struct Disk {
        var inodes: [Inode] = []
        /// Which file each name leads to: the state at the last sync of the directory, and each state since.
        var states: [[String: Int]]

        init(_ files: [String: String]) {
            var names: [String: Int] = [:]
            for (name, text) in files {
                names[name] = inodes.count
                inodes.append(Inode(written: Array(text.utf8), synced: Array(text.utf8)))
            }
            states = [names]
        }

        private var names: [String: Int] { states[states.count - 1] }

        mutating func apply(_ call: FileCall, directory: String) {
            func name(_ path: String) -> String { (path as NSString).lastPathComponent }
            switch call.name {
            case .open where call.flags & O_CREAT != 0:
                inodes.append(Inode())
                let new = inodes.count - 1
                change { $0[name(call.path)] = new }
            case .pwrite:
                guard let file = names[name(call.path)] else {
                    Issue.record("written to nothing")
                    return
                }
                let end = call.offset + call.bytes.count
                let missing = end - inodes[file].written.count
                if missing > 0 { inodes[file].written += [UInt8](repeating: 0, count: missing) }
                inodes[file].written.replaceSubrange(call.offset..<end, with: call.bytes)
            case .fsync where call.path == directory: states = [names]
            case .fsync:
                guard let file = names[name(call.path)] else {
                    Issue.record("synced nothing")
                    return
                }
                inodes[file].synced = inodes[file].written
            case .rename, .renameNoReplace:
                change { $0[name(call.other ?? "")] = $0.removeValue(forKey: name(call.path)) }
            case .link: change { $0[name(call.other ?? "")] = $0[name(call.path)] }
            case .exchange:
                change { names in
                    let other = names[name(call.other ?? "")]
                    names[name(call.other ?? "")] = names[name(call.path)]
                    names[name(call.path)] = other
                }
            case .unlink: change { $0[name(call.path)] = nil }
            default: break
            }
        }

        /// A file that another program put there and synced.
        mutating func replace(_ name: String, with text: String) {
            inodes.append(Inode(written: Array(text.utf8), synced: Array(text.utf8)))
            let new = inodes.count - 1
            change { $0[name] = new }
        }

        private mutating func change(_ body: (inout [String: Int]) -> Void) {
            var names = names
            body(&names)
            states.append(names)
        }

        /// What a file may hold after the loss.
        func contents(_ file: Int) -> [String] {
            let inode = inodes[file]
            if let synced = inode.synced { return [String(decoding: synced, as: UTF8.self)] }
            return (0...inode.written.count).map { String(decoding: inode.written.prefix($0), as: UTF8.self) }
        }

        /// What `name` may hold after the loss; "missing" for no file.
        func contents(of name: String) -> Set<String> {
            Set(states.flatMap { $0[name].map(contents) ?? ["missing"] })
        }
    }

    /// Goes one way, and looks at the disk as it may be after each call.
    private func replay(
        _ protocolCase: ProtocolCase, durability: DurableFile.Options.Durability = .full,
        check: (_ disk: Disk, _ isDone: Bool, _ wasEdited: Bool, _ what: Comment) throws -> Void
    ) throws {
        let directory = try protocolCase.makeDirectory()
        let (result, recorder) = protocolCase.run(in: directory, durability: durability) { _, _ in .proceed }
        #expect((try? result.get()) != nil || !protocolCase.merges)
        var disk = Disk(protocolCase.old.map { [protocolCase.file: $0] } ?? [:])
        var wasEdited = false
        let calls = recorder.done
        for (number, call) in calls.enumerated() {
            if let edit = protocolCase.edit, call.name == .exchange, !wasEdited {
                wasEdited = true
                disk.replace(protocolCase.file, with: edit)
                try check(disk, false, wasEdited, "edited before call \(number)")
            }
            disk.apply(call, directory: directory.path)
            try check(
                disk, number == calls.count - 1, wasEdited, "after call \(number), \(call.name.rawValue) \(call.path)")
        }
    }

    static let byName = ProtocolCase.all.filter { $0.refused[.exchange] != EBUSY && !$0.file.contains("/") }

    @Test(arguments: byName)
    func `at every cut the file is one of the whole texts, and once acknowledged the new one`(
        protocolCase: ProtocolCase
    ) throws {
        var cuts = 0
        try replay(protocolCase) { disk, isDone, wasEdited, what in
            cuts += 1
            let found = disk.contents(of: protocolCase.file)
            var whole: Set<String> = [protocolCase.old ?? "missing", "new", protocolCase.result]
            if wasEdited { whole.insert("theirs") }
            #expect(found.isSubset(of: whole), what)
            if isDone && protocolCase.merges { #expect(found == [protocolCase.result], what) }
        }
        #expect(cuts > 10)
    }

    @Test(arguments: byName.filter { $0.edit != nil })
    func `at every cut an edit stands in the file, merged or not, or beside it`(protocolCase: ProtocolCase) throws {
        try replay(protocolCase) { disk, _, wasEdited, what in
            guard wasEdited else { return }
            // An editor that syncs the directory after saving: what it saved is on the disk before our next call.
            let first = disk.states.firstIndex { state in
                state.values.contains { disk.inodes[$0].written.starts(with: Array("theirs".utf8)) }
            }
            let since = try #require(first, what)
            for state in disk.states[since...] {
                let texts = state.values.flatMap { disk.contents($0) }
                #expect(texts.contains { $0.hasPrefix("theirs") }, what)
            }
        }
    }

    @Test func `the model finds it when the content is not synced before the renaming`() throws {
        var torn = false
        let quick = ProtocolCase(name: "replace without syncs")
        try replay(quick, durability: .renamed) { disk, _, _, _ in
            if disk.contents(of: quick.file).contains("ne") { torn = true }
        }
        #expect(torn)
    }
}
