import Rheostat
import RheostatTesting
import TestSupport
import Testing

@Suite struct GatedBackendTests {
    static let port = SettingKey("port", default: 8080)
    let backend = GatedBackend(MemoryBackend(#"{"port": 1}"#))

    @Test(arguments: BackendStep.ofCommit)
    func `a commit can be held at each step, and what stands there can be looked at`(_ step: BackendStep) async throws {
        let settings = try await SettingsStore.open(.backend(backend), keys: [Self.port])
        let gate = backend.gate(at: step)
        let write = try await gate.whileClosed {
            let write = Task { try await settings.set(Self.port, to: 2) }
            try await gate.waitUntilReached()
            #expect(settings[Self.port] == 1)
            #expect(backend.base.currentText?.contains("2") == (step == .afterReplacement))
            return write
        }
        try await write.value
        #expect(settings[Self.port] == 2)
        #expect(backend.commits == 1 && backend.transforms == 1 && backend.replacements == 1 && backend.loads == 1)
        try await settings.close()
    }

    @Test(arguments: BackendStep.ofLoad)
    func `a load can be held before and after it reads`(_ step: BackendStep) async throws {
        let settings = try await SettingsStore.open(.backend(backend), keys: [Self.port])
        let gate = backend.gate(at: step)
        gate.close()
        backend.base.replace(with: #"{"port": 2}"#)
        try await gate.waitUntilReached()
        // Only what was read before this moment is in the reading that is held; the next one takes it.
        backend.base.replace(with: #"{"port": 3}"#)
        #expect(settings[Self.port] == 1)
        var values = settings.values(of: Self.port).makeAsyncIterator()
        #expect(await values.next() == 1)
        gate.letThrough()
        if step == .afterLoad {
            #expect(await values.next() == 2)
            try await gate.waitUntilReached()
            gate.open()
        }
        #expect(await values.next() == 3)
        gate.open()
        try await settings.close()
    }

    @Test func `a rival who comes before the replacement makes the transform run again`() async throws {
        let settings = try await SettingsStore.open(.backend(backend), keys: [Self.port])
        let gate = backend.gate(at: .beforeReplacement)
        gate.close()
        let write = Task { try await settings.update { $0[Self.port] += 1 } }
        try await gate.waitUntilReached()
        backend.base.replace(with: #"{"port": 10, "by": "hand"}"#)
        gate.open()
        try await write.value
        #expect(settings[Self.port] == 11)
        #expect(backend.base.currentText == #"{"port": 11, "by": "hand"}"#)
        #expect(backend.commits == 1 && backend.transforms == 2)
        try await settings.close()
    }

    @Test func `a commit that writes nothing or fails does not reach the later gates`() async throws {
        for step in [BackendStep.beforeReplacement, .afterReplacement] { backend.gate(at: step).close() }
        let done = try await backend.commit { _ in nil }
        #expect(done.text == nil)
        await #expect(throws: CancellationError.self) {
            _ = try await backend.commit { _ in throw CancellationError() }
        }
        #expect(backend.commits == 2 && backend.transforms == 2 && backend.replacements == 0)
        backend.openAll()
        #expect(BackendStep.allCases.allSatisfy { !backend.gate(at: $0).isClosed })
        #expect(BackendStep.ofCommit + BackendStep.ofLoad == BackendStep.allCases)
    }
}
