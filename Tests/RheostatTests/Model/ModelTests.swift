import Foundation
import RheostatTesting
import TestSupport
import Testing

@testable import Rheostat

/// Random operations on a store beside a plain reference model, compared after each step.
///
/// `RHEOSTAT_MODEL_SECONDS` sets how long it runs, `RHEOSTAT_MODEL_SEED` the first seed.
@Suite struct ModelTests {
    @Test func `a store does what the reference model says, whatever is done to it`() async throws {
        let environment = ProcessInfo.processInfo.environment
        let seconds = environment["RHEOSTAT_MODEL_SECONDS"].flatMap(Double.init) ?? 5
        let first = environment["RHEOSTAT_MODEL_SEED"].flatMap(UInt64.init) ?? .random(in: 0..<1_000_000_000)
        print("model: first seed \(first), \(seconds) s")
        let end = ContinuousClock.now + .seconds(seconds)
        var rounds: UInt64 = 0
        var steps = 0
        while ContinuousClock.now < end {
            let seed = first &+ rounds
            let round = ModelRound(seed: seed)
            do {
                steps += try await within(.seconds(60)) { try await round.run() }
            } catch {
                Issue.record("RHEOSTAT_MODEL_SEED=\(seed): \(error)")
                return
            }
            rounds += 1
        }
        print("model: \(rounds) rounds, \(steps) steps")
        #expect(rounds > 0)
    }
}

/// One store from open to close.
private struct ModelRound: Sendable {
    let seed: UInt64

    typealias Backend = GatedBackend<FailingBackend<MemoryBackend>>

    struct Wrong: Error, CustomStringConvertible { let description: String }

    func run() async throws -> Int {
        let memory = MemoryBackend()
        let faults = FailingBackend(memory)
        let backend = GatedBackend(faults)
        let keys = ModelKey.all
        let settings = try await SettingsStore.open(.backend(backend), keys: keys.map(\.key))
        var driver = Driver(
            random: SeededGenerator(seed: seed), keys: keys, settings: settings, memory: memory, faults: faults,
            gates: backend, model: ReferenceModel(keys: keys))
        let count = Int.random(in: 20...60, using: &driver.random)
        for step in 0..<count {
            do {
                try await driver.step()
            } catch {
                throw Wrong(description: "step \(step), \(driver.doing): \(error)")
            }
        }
        try await driver.close()
        return count
    }
}

private struct Driver {
    var random: SeededGenerator
    let keys: [ModelKey]
    let settings: SettingsStore
    let memory: MemoryBackend
    let faults: FailingBackend<MemoryBackend>
    let gates: ModelRound.Backend
    var model: ReferenceModel
    var followers: [Follower] = []
    /// What is being done, for messages.
    var doing = ""

    struct Wrong: Error, CustomStringConvertible { let description: String }

    static let full = SettingsError(.noSpace, "the disk is full")

    mutating func step() async throws {
        switch Int.random(in: 0..<14, using: &random) {
        case 0...2: try await write(failing: false)
        case 3: try await write(failing: true)
        case 4...5: try await assign(failing: false)
        case 6: try await assign(failing: true)
        case 7: try await edit()
        case 8: try await editBadly()
        case 9: try await burst()
        case 10: follow()
        case 11: try await unfollow()
        case 12: try await refuse()
        default: try await drain()
        }
        try await check()
    }

    // MARK: Operations

    /// A set, a reset or an update, awaited.
    private mutating func write(failing: Bool) async throws {
        let key = pick(keys)
        let other = pick(keys)
        let text = pick(key.valid)
        let otherText = pick(other.valid)
        let settings = settings
        let changes: [(name: String, text: String?)]
        let operation: @Sendable () async throws -> Void
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            doing = "set \(key.name) \(text)"
            changes = [(key.name, text)]
            operation = { try await key.set(settings, text) }
        case 1:
            doing = "reset \(key.name)"
            changes = [(key.name, nil)]
            operation = { try await key.reset(settings) }
        default:
            doing = "update \(key.name) \(text), \(other.name) \(otherText)"
            changes = [(key.name, text), (other.name, otherText)]
            operation = {
                try await settings.update { transaction in
                    try key.put(&transaction, text)
                    try other.put(&transaction, otherText)
                }
            }
        }
        if failing { doing += ", failing" }
        if failing { faults.failCommits(.refused(Self.full)) }
        model.transact(changes)
        let (events, worked) = model.serve(failing: failing)
        let error = await failure(operation)
        try expect(error, worked: worked == [true], failing: failing)
        note(events)
    }

    /// An assignment and a flush.
    private mutating func assign(failing: Bool) async throws {
        let key = pick(keys)
        let text = pick(key.valid)
        doing = "assign \(key.name) \(text)" + (failing ? ", failing" : "")
        if failing { faults.failCommits(.refused(Self.full)) }
        note(model.assign(key.name, text))
        key.assign(settings, text)
        // Shown at once; a failure may have taken it back already.
        if !failing, model.disk != .bad, key.read(settings) != text {
            throw Wrong(description: "\(key.name) reads \(key.read(settings)) after the assignment")
        }
        let (events, worked) = model.serve(failing: failing)
        let settings = settings
        let error = await failure { try await settings.flush() }
        try expect(error, worked: worked == [true], failing: failing)
        note(events)
    }

    /// Somebody else writes something good, or removes the file.
    private mutating func edit() async throws {
        if Int.random(in: 0..<6, using: &random) == 0 {
            doing = "remove the file"
            memory.replace(with: nil)
            note(model.edit(.missing))
        } else {
            var values: [String: String] = [:]
            for key in keys where Bool.random(using: &random) { values[key.name] = pick(key.valid) }
            doing = "edit \(values)"
            memory.replace(with: text(values))
            note(model.edit(.good(values)))
        }
        try await settings.reload()
    }

    private mutating func editBadly() async throws {
        if Bool.random(using: &random) {
            let key = pick(keys)
            doing = "edit an invalid \(key.name) in"
            memory.replace(with: text([key.name: pick(key.invalid)]))
        } else {
            doing = "edit badly"
            memory.replace(with: pick(["{", "[]", "{\"n\": {\"a\": 3,, }}", "nothing", "{\"s\": \"\u{1}\"}"]))
        }
        note(model.edit(.bad))
        let settings = settings
        guard let error = await failure({ try await settings.reload() }), SettingsError.fileUnusable ~= error else {
            throw Wrong(description: "a bad file was taken")
        }
    }

    /// Assignments and transactions while the disk is stalled.
    private mutating func burst() async throws {
        let settings = settings
        gates.gate(at: .beforeLock).close()
        defer { gates.openAll() }
        let key = pick(keys)
        let text = pick(key.valid)
        doing = "burst: \(key.name) \(text)"
        note(model.assign(key.name, text))
        key.assign(settings, text)
        try await gates.gate(at: .beforeLock).waitUntilReached()
        model.take()
        var tasks: [Task<Void, any Error>] = []
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            let key = pick(keys)
            let text = pick(key.valid)
            if Bool.random(using: &random) {
                doing += ", assign \(key.name) \(text)"
                note(model.assign(key.name, text))
                key.assign(settings, text)
                guard key.read(settings) == text else { throw Wrong(description: "an assignment is not shown") }
            } else {
                doing += ", set \(key.name) \(text)"
                let waiting = settings.publication.journalCount
                model.transact([(key.name, text)])
                tasks.append(Task { try await key.set(settings, text) })
                try await eventually { settings.publication.journalCount == waiting + 1 }
            }
        }
        let isBad = model.disk == .bad
        let (events, _) = model.serve(failing: false)
        gates.openAll()
        for task in tasks {
            let error = await failure { try await task.value }
            try expect(error, worked: !isBad, failing: false)
        }
        let error = await failure { try await settings.flush() }
        try expect(error, worked: !isBad, failing: false)
        note(events)
    }

    /// Values and keys that must be refused without a trace.
    private mutating func refuse() async throws {
        let key = keys[0]
        doing = "refused values"
        let settings = settings
        let number = SettingKey("n.a", default: 1, in: 0...1000)
        guard let error = await failure({ try await settings.set(number, to: 5_000) }) else {
            throw Wrong(description: "5000 was taken")
        }
        guard SettingsError.invalidValue ~= error || SettingsError.fileUnusable ~= error else { throw error }
        key.assignRefused(settings)
        try await settings.flush()
    }

    private mutating func follow() {
        let key = pick(keys)
        let kind = pick(Follower.Kind.allCases)
        doing = "follow \(key.name) by \(kind)"
        followers.append(key.follow(settings, kind))
    }

    private mutating func unfollow() async throws {
        doing = "unfollow"
        guard !followers.isEmpty else { return }
        let follower = followers.remove(at: Int.random(in: 0..<followers.count, using: &random))
        try await follower.drain(now: model.effective(follower.name))
    }

    private mutating func drain() async throws {
        doing = "drain"
        for follower in followers { try await follower.drain(now: model.effective(follower.name)) }
    }

    mutating func close() async throws {
        try await settings.close()
        doing = "close"
        for follower in followers {
            try await follower.drain(now: model.effective(follower.name))
            try await follower.expectEnd()
        }
        try await check()
        guard let error = await failure({ [settings, keys] in try await keys[0].set(settings, "1") }),
            SettingsError.closed ~= error
        else { throw Wrong(description: "written after close") }
    }

    // MARK: Checking

    private func check() async throws {
        for key in keys where key.read(settings) != model.effective(key.name) {
            throw Wrong(
                description: "\(key.name) reads \(key.read(settings)), expected \(model.effective(key.name))")
        }
        let (a, b) = settings[
            SettingKey("n.a", default: 1, in: 0...1000), SettingKey("n.b", default: 2)]
        guard ["\(a)", "\(b)"] == [model.effective("n.a"), model.effective("n.b")] else {
            throw Wrong(description: "the pair reads \(a), \(b)")
        }
        guard case .good(let values) = model.disk else { return }
        let disk = try await SettingsStore.open(.backend(MemoryBackend(memory.currentText)))
        for key in keys {
            let stored = try disk.raw.value(of: key.name)
            let expected = try values[key.name].map { try RawJSON($0) }
            guard stored == expected else {
                throw Wrong(
                    description: "on disk, \(key.name) is \(stored?.text ?? "absent"), "
                        + "expected \(expected?.text ?? "absent")")
            }
        }
    }

    private func expect(_ error: (any Error)?, worked: Bool, failing: Bool) throws {
        switch error {
        case nil: if !worked { throw Wrong(description: "it did not throw") }
        case .some(let error):
            if worked { throw error }
            let expected = failing ? SettingsError.noSpace : SettingsError.fileUnusable
            guard expected ~= error else { throw Wrong(description: "it threw \(error)") }
        }
    }

    private func note(_ events: [ReferenceModel.Event]) {
        for event in events {
            for follower in followers where follower.name == event.name {
                follower.note(old: event.old, new: event.new, cause: event.cause)
            }
        }
    }

    // MARK: Choosing

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    /// A file of these values, in one of several layouts.
    private mutating func text(_ values: [String: String]) -> String {
        let flat = Bool.random(using: &random)
        let nested = values.filter { $0.key.hasPrefix("n.") && !flat }
        var members = values.filter { nested[$0.key] == nil }.map { "\"\($0.key)\": \($0.value)" }
        if !nested.isEmpty {
            let inner = nested.map { "\"\($0.key.dropFirst(2))\": \($0.value)" }.joined(separator: ", ")
            members.append("\"n\": {\(inner)}")
        }
        return "{ // edited\n  " + members.joined(separator: ",\n  ") + "\n}\n"
    }
}

private func failure(_ operation: @Sendable () async throws -> Void) async -> (any Error)? {
    do {
        try await operation()
        return nil
    } catch {
        return error
    }
}
