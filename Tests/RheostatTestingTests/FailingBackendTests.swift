import Rheostat
import RheostatTesting
import TestSupport
import Testing

@Suite struct FailingBackendTests {
    static let port = SettingKey("port", default: 8080)
    static let full = SettingsError(.noSpace, "the disk is full")
    let backend = FailingBackend(MemoryBackend(#"{"port": 1}"#))

    func open() async throws -> SettingsStore {
        try await SettingsStore.open(.backend(backend), keys: [Self.port])
    }

    @Test func `the commits that were named fail, and no others`() async throws {
        let settings = try await open()
        backend.failCommits(.refused(Self.full), after: 1, count: 2)
        backend.failCommits(.notWritten(SettingsError(.readOnly, "mounted read-only")), after: 1)
        var outcomes: [String] = []
        for value in 2...8 {
            do {
                try await settings.set(Self.port, to: value)
                outcomes.append("\(settings[Self.port])")
            } catch let error as SettingsError {
                outcomes.append("\(error.code)")
            }
        }
        #expect(outcomes == ["2", "noSpace", "noSpace", "5", "readOnly", "7", "8"])
        #expect(!backend.hasFaults)
        #expect(backend.base.currentText == #"{"port": 8}"#)
    }

    @Test func `all commits fail until it is mended`() async throws {
        let settings = try await open()
        let revision = settings.revision
        backend.failAllCommits(.notWritten(Self.full))
        for value in 2...5 {
            await #expect { try await settings.set(Self.port, to: value) } throws: { SettingsError.noSpace ~= $0 }
        }
        // Nothing to write, so nothing that fails.
        try await settings.set(Self.port, to: 1)
        #expect(backend.hasFaults && settings[Self.port] == 1 && settings.revision == revision)
        backend.mend()
        try await settings.set(Self.port, to: 6)
        #expect(settings[Self.port] == 6)
    }

    @Test func `a refused commit does not run the transform, one that is not written does`() async throws {
        let runs = Locked(0)
        for (fault, expected) in [(CommitFault.refused(Self.full), 0), (.notWritten(Self.full), 1)] {
            runs.withLock { $0 = 0 }
            backend.failCommits(fault)
            await #expect(throws: SettingsError.self) {
                _ = try await backend.commit { _ in
                    runs.withLock { $0 += 1 }
                    return [1]
                }
            }
            #expect(runs.value == expected)
        }
    }

    @Test func `a write that may not be durable is published, and the writer told`() async throws {
        let settings = try await open()
        backend.failCommits(.durabilityUnknown())
        await #expect { try await settings.set(Self.port, to: 2) } throws: { SettingsError.durabilityUnknown ~= $0 }
        #expect(settings[Self.port] == 2)
        #expect(backend.base.currentText == #"{"port": 2}"#)
    }

    @Test func `a write whose answer is lost is there all the same, and found at the next look`() async throws {
        let settings = try await open()
        backend.failCommits(.answerLost(SettingsError(.inputOutput, "the connection was reset")))
        await #expect { try await settings.set(Self.port, to: 2) } throws: { SettingsError.inputOutput ~= $0 }
        #expect(backend.base.currentText == #"{"port": 2}"#)
        try await settings.reload()
        #expect(settings[Self.port] == 2)
    }

    @Test func `a rival in between makes the store merge`() async throws {
        let settings = try await open()
        var changes = settings.changes(of: Self.port).makeAsyncIterator()
        backend.failCommits(.rivals(#"{"port": 20}"#, #"{"port": 30, "by": "hand"}"#))
        let runs = Locked<[Int]>([])
        try await settings.update { transaction in
            runs.withLock { $0.append(transaction[Self.port]) }
            transaction[Self.port] += 1
        }
        #expect(runs.value == [1, 20, 30])
        #expect(backend.base.currentText == #"{"port": 31, "by": "hand"}"#)
        #expect(await changes.next()?.new == 31)
    }

    @Test func `a rival stays when the store then has nothing to write, or throws`() async throws {
        let settings = try await open()
        backend.failCommits(.rivals(#"{"port": 20}"#))
        try await settings.set(Self.port, to: 20)
        #expect(settings[Self.port] == 20)
        #expect(backend.base.currentText == #"{"port": 20}"#)
        backend.failCommits(.rivals(#"{"port": "#))
        await #expect { try await settings.set(Self.port, to: 21) } throws: { SettingsError.fileUnusable ~= $0 }
        #expect(settings[Self.port] == 20)
        #expect(backend.base.currentText == #"{"port": "#)
    }

    @Test func `loads are answered as planned, and the store sees the end of it by itself`() async throws {
        let settings = try await open()
        var problems = settings.problems().makeAsyncIterator()
        backend.answerLoads(
            with: .unusable(SettingsProblem(kind: .unreadable, message: "permission denied", file: "somewhere")))
        let problem = await problems.next()
        #expect(problem?.description == "somewhere: permission denied")
        #expect(problem?.isFileUnusable == true && problem?.isResolved == false)
        #expect(settings[Self.port] == 1)
        backend.mend()
        #expect(await problems.next()?.isResolved == true)

        backend.answerLoads(with: .missing)
        #expect(await problems.next()?.kind == .missing)
        backend.mend()
        #expect(await problems.next()?.isResolved == true)
        #expect(settings[Self.port] == 1)

        var values = settings.values(of: Self.port).makeAsyncIterator()
        #expect(await values.next() == 1)
        backend.answerLoads(with: .unsettled, count: 1)
        backend.base.replace(with: #"{"port": 2}"#)
        #expect(await values.next() == 2)
    }

    @Test func `what a backend calls unusable is resolved by the next good text, whatever its kind`() async throws {
        let settings = try await open()
        var problems = settings.problems().makeAsyncIterator()
        backend.answerLoads(with: .unusable(SettingsProblem(kind: .invalid, message: "lost contact")))
        #expect(await problems.next()?.isFileUnusable == true)
        backend.mend()
        #expect(await problems.next()?.isResolved == true)
    }

    @Test func `a commit can read something else than is there`() async throws {
        let settings = try await open()
        backend.failCommits(.reads(.missing))
        try await settings.set(Self.port, to: 2)
        #expect(settings[Self.port] == 2)
        backend.failCommits(.reads(.unusable(SettingsProblem(kind: .notAFile, message: "expected a file"))))
        await #expect { try await settings.set(Self.port, to: 3) } throws: { SettingsError.fileUnusable ~= $0 }
        #expect(settings[Self.port] == 2)
    }

    @Test func `problems with the backend itself stand until it is mended`() async throws {
        let settings = try await open()
        var problems = settings.problems().makeAsyncIterator()
        backend.raise(SettingsProblem(kind: .degraded, message: "changes are noticed by polling only"))
        #expect(await problems.next()?.kind == .degraded)
        backend.mend()
        #expect(await problems.next()?.isResolved == true)
    }

    @Test func `a disk that is stalled holds the writes, and a failure then fails them all`() async throws {
        let disk = GatedBackend(backend)
        let settings = try await SettingsStore.open(.backend(disk), keys: [Self.port])
        backend.failCommits(.refused(Self.full), after: 1)
        let gate = disk.gate(at: .beforeLock)
        gate.close()
        let first = Task { try await settings.set(Self.port, to: 2) }
        try await gate.waitUntilReached()
        let second = Task { try await settings.set(Self.port, to: 3) }
        gate.letThrough()
        try await first.value
        try await gate.waitUntilReached()
        gate.open()
        await #expect { try await second.value } throws: { SettingsError.noSpace ~= $0 }
        #expect(settings[Self.port] == 2)
        try await settings.close()
    }
}
