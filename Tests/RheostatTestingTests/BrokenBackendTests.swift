import Rheostat
import RheostatTesting
import TestSupport
import Testing

/// The suite is only worth something if each of its checks fails where it must.
@Suite struct BrokenBackendTests {
    typealias Conformance = SettingsBackendConformance

    /// For each check, a defect that it finds.
    static let defects: [(check: String, defect: BrokenBackend.Defect)] = [
        ("nothing is there at first, and looking makes nothing", .writesNothing),
        ("the first commit makes the text, and says so", .answersWithOldText),
        ("a text is kept byte for byte", .normalisesLineEnds),
        ("another backend opened later reads the same bytes", .normalisesLineEnds),
        ("a transform that returns nil writes nothing", .writesNothing),
        ("a transform that throws changes nothing, and its error is passed on", .swallowsErrors),
        ("the place is always the same", .moves),
        ("a commit sees the newest text", .staleReads),
        ("an edit between a load and a commit is seen by the commit", .staleReads),
        ("a first commit does not replace a text that appeared", .staleReads),
        ("commits through two backends lose nothing", .dropsCommits),
        ("an edit during a commit is not lost", .overwritesRivals),
        ("a text that was removed is missing, and the next commit makes it", .remembersText),
        ("an edit gives a signal, after which it is loaded", .mute),
        ("an edit before the first load gives a signal or is loaded", .watchesLate),
        ("a commit through another backend gives a signal, after which it is loaded", .mute),
        ("after a commit nothing else is loaded until others write", .loadsOldText),
        ("signals that nobody takes are joined", .pilesUp),
        ("closing ends the signals, also when it is done again and by several", .neverEnds),
        ("closing one backend leaves another on the same place alone", .closesAll),
        ("a removal gives a signal, after which nothing is loaded, and so does a new text", .remembersText),
        ("a store reads what it set, and so does the next one", .forgets),
        ("a store tells of an edit with old and new value", .mute),
        ("a store keeps the last good values while the text is invalid, and refuses to write", .mute),
        ("two stores lose no update, and each sees the other's", .dropsCommits),
        ("closing a store ends its streams, keeps its values, and leaves the text to the next", .closesForGood),
        ("a store whose text is removed keeps its values, and makes it again", .remembersText),
    ]

    static func conformance(_ defect: BrokenBackend.Defect) -> Conformance {
        var options = Conformance.Options()
        options.waitLimit = .milliseconds(250)
        options.increments = 5
        options.unheardEdits = 20
        return Conformance(options: options) {
            let place = BrokenBackend.Place()
            return Conformance.Place(
                open: { await BrokenBackend(defect, on: place) },
                edit: { place.text.replace(with: $0.map { String(decoding: $0, as: UTF8.self) }) },
                text: { place.text.currentText.map { Array($0.utf8) } })
        }
    }

    @Test(arguments: defects)
    func `the check finds the defect`(_ name: String, _ defect: BrokenBackend.Defect) async throws {
        let check = try #require(Self.conformance(defect).checks.first { $0.name == name })
        #expect(check.id == name && check.description == name)
        if defect == .closesForGood {
            // What the backend throws where it must not is passed on.
            await #expect { try await check.run() } throws: { SettingsError.inputOutput ~= $0 }
        } else {
            let failure = await #expect(throws: ConformanceFailure.self) { try await check.run() }
            #expect(failure?.check == name)
        }
    }

    @Test func `each check finds a defect, and each defect is found`() {
        let checks = Self.conformance(.mute).checks.map(\.name)
        #expect(Self.defects.map(\.check) == checks)
        #expect(Set(Self.defects.map(\.defect)) == Set(BrokenBackend.Defect.allCases))
    }

    @Test func `a run tells all that failed, in one error`() async throws {
        let failures = await #expect(throws: ConformanceFailures.self) {
            try await Self.conformance(.normalisesLineEnds).run()
        }
        #expect(
            failures?.failures.map(\.check) == [
                "a text is kept byte for byte", "another backend opened later reads the same bytes",
            ])
        #expect(failures?.description.hasPrefix("2 checks failed:\n  a text is kept byte for byte: expected ") == true)
    }

    @Test func `checks that do not apply are left out`() {
        var options = Conformance.Options()
        options.canBeRemoved = false
        options.editsDuringCommit = false
        let checks = Conformance(options: options) { throw CancellationError() }.checks
        #expect(checks.count == Self.defects.count - 4)
    }

    @Test func `a backend that never returns fails the check by its deadline`() async throws {
        var options = Conformance.Options()
        options.checkLimit = .milliseconds(100)
        let backend = GatedBackend(MemoryBackend())
        backend.gate(at: .beforeLoad).close()
        defer { backend.openAll() }
        let conformance = Conformance(options: options) {
            Conformance.Place(open: { backend }, edit: { _ in }, text: { nil })
        }
        let check = try #require(conformance.checks.first)
        let failure = await #expect(throws: ConformanceFailure.self) { try await check.run() }
        #expect(failure?.expectation == "the check to end")
    }

    @Test func `a place that is torn down is torn down when a check failed, too`() async throws {
        let ended = Locked(0)
        for defect in [BrokenBackend.Defect.moves, .forgets] {
            let conformance = Conformance {
                let place = BrokenBackend.Place()
                return Conformance.Place(
                    open: { await BrokenBackend(defect, on: place) },
                    edit: { place.text.replace(with: $0.map { String(decoding: $0, as: UTF8.self) }) },
                    text: { place.text.currentText.map { Array($0.utf8) } },
                    tearDown: { ended.withLock { $0 += 1 } })
            }
            let check = try #require(conformance.checks.first { $0.name == "the place is always the same" })
            try? await check.run()
        }
        #expect(ended.value == 2)
    }
}
