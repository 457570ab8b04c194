import Locking
import LosslessJSON

/// A store seen as JSON values by path, whether or not the program declares keys for them.
///
/// Writes go through the same journal and obey the same rules as typed ones: a value that a declared key refuses is
/// refused here too.
public struct RawSettings: Sendable {
    let store: SettingsStore

    /// All that is set now, at one revision. Taking a snapshot costs nothing that depends on its size.
    public var snapshot: RawSnapshot {
        store.publication.state.withLock { RawSnapshot(snapshot: $0.snapshot, revision: $0.revision) }
    }

    /// The value at `path` now; `nil` when nothing is set there.
    ///
    /// Throws ``SettingsError/invalidKeys`` when `path` is no path.
    public func value(of path: String) throws -> RawJSON? { try snapshot.value(of: path) }

    /// Sets the value at `path`. Returns when it is durable; see ``SettingsStore/set(_:to:)``, also for what it throws.
    public func set(_ path: String, to value: RawJSON) async throws {
        try await store.update { try $0.setRaw(path, to: value) }
    }

    /// Removes the value at `path` in every spelling. Nothing is written when nothing is set there. Returns when it is
    /// durable, and throws as ``SettingsStore/reset(_:)``.
    public func remove(_ path: String) async throws {
        try await store.update { try $0.removeRaw(path) }
    }

    /// All that is set now, and every change after that: nothing is missed or told twice between the two.
    ///
    /// The stream gives whole commits, in order. One that a slow consumer has not taken is joined with the next. It ends
    /// when the task is cancelled, when the store is closed, and when its last reference goes.
    public func observe() -> (now: RawSnapshot, commits: AsyncStream<RawCommit>) {
        let mailbox = Mailbox(NewestSnapshot())
        let publication = store.publication
        let (now, slot) = publication.state.withLock { state in
            (
                RawSnapshot(snapshot: state.snapshot, revision: state.revision),
                state.isFinished ? nil : state.snapshotReceivers.insert(mailbox)
            )
        }
        let commits: AsyncStream<RawCommit> = .over(mailbox, in: publication, slot: slot) { state, slot in
            state.snapshotReceivers.remove(slot)
        } transform: { step in
            let commit = RawCommit(step: step)
            return commit.changes.isEmpty ? nil : commit
        }
        return (now, commits)
    }
}

/// One publication of a store as JSON values.
public struct RawCommit: Sendable {
    /// What was set before.
    public let old: RawSnapshot
    /// What is set since.
    public let new: RawSnapshot
    /// Why; of several joined commits, the last one's.
    public let cause: ChangeCause
    /// Each value that is no object and that differs, ordered by path.
    public let changes: [RawChange]

    /// The revision that this commit made.
    public var revision: UInt64 { new.revision }

    init(step: NewestSnapshot.Step) {
        old = RawSnapshot(snapshot: step.from, revision: step.stamp.revision - 1)
        new = RawSnapshot(snapshot: step.to, revision: step.stamp.revision)
        cause = step.stamp.cause
        var candidates: Set<SettingPath> = []
        for path in JSONDocument.differences(from: step.from.document, to: step.to.document) {
            guard let path = SettingPath(path) else { continue }
            step.from.forEachLeaf(below: path) { path, _ in candidates.insert(path) }
            step.to.forEachLeaf(below: path) { path, _ in candidates.insert(path) }
        }
        var changes: [RawChange] = []
        for path in candidates {
            let before = old.leaf(at: path)
            let after = new.leaf(at: path)
            if before != after { changes.append(RawChange(path: path.description, old: before, new: after)) }
        }
        self.changes = changes.sorted { $0.path < $1.path }
    }
}

/// A change of one JSON value.
public struct RawChange: Sendable {
    /// The dotted path.
    public let path: String
    /// The value before; `nil` when nothing was set.
    public let old: RawJSON?
    /// The value since; `nil` when nothing is set.
    public let new: RawJSON?
}

extension RawSnapshot {
    /// The value at `path` unless it is an object.
    fileprivate func leaf(at path: SettingPath) -> RawJSON? {
        value(of: path).flatMap { $0.kind == .object ? nil : $0 }
    }
}

extension SettingPath {
    /// The path of a difference between two texts, up to the first array.
    init?(_ path: JSONPath) {
        var names: [String] = []
        loop: for step in path.steps {
            switch step {
            case .name(let name): names.append(name)
            case .index: break loop
            }
        }
        self.init(names: names)
    }
}
