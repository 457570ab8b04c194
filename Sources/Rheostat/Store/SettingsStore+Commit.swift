import Locking
import LosslessJSON

// What the I/O lane does with the writes that wait.
extension SettingsStore {
    /// One write's effect on the text.
    private struct Step: Sendable {
        let document: JSONDocument
        let candidate: Publication.Candidate
    }

    /// What came of one write.
    private struct Outcome: Sendable {
        var result: Result<Step?, any Error>
        /// Whether it set a value, perhaps to what it was.
        var hasSet = false
        /// Those of a write's assignments that cannot be in the text.
        var failed: [(assignment: PendingAssignment, error: SettingsError)] = []
    }

    /// Commits what waited, in order, with one write of the backend.
    ///
    /// An edit by somebody else comes first and is published first, also if what follows then fails. A write that throws
    /// changes nothing and does not disturb its neighbours; if the backend fails, nothing of the group is published.
    func commit(_ writes: [Journal.Write]) async {
        var outcomes: [Outcome] = []
        var unsure: SettingsError?
        do {
            let done = try await backend.commit { reading in
                outcomes = []
                if case .unsettled = reading { throw SettingsError.stillBeingWritten(backend.location) }
                try adopt(reading)
                let base = publication.snapshot.document
                var document = base
                for write in writes {
                    let outcome = run(write, on: document)
                    if case .success(let step?) = outcome.result { document = step.document }
                    outcomes.append(outcome)
                }
                if document !== base { return document.bytes }
                // A file that is gone is made again: what was set must be on the disk when the write returns.
                return reading.isNothing && outcomes.contains { $0.hasSet } && base.byteCount > 0 ? base.bytes : nil
            }
            unsure = done.durabilityUnknown
            if done.text != nil { noteWritten() }
            publication.publish(problems: [:]) { subject, _ in subject == .unwritten }
        } catch {
            outcomes = writes.indices.map { index in
                // A write that threw by itself says why; the others, why the group was not written.
                if index < outcomes.count, case .failure(let own) = outcomes[index].result {
                    return Outcome(result: .failure(own))
                }
                return Outcome(result: .failure(error))
            }
        }
        publishBackendProblems()
        for (write, outcome) in zip(writes, outcomes) { finish(write, outcome, unsure: unsure) }
    }

    /// What `write` makes of `document`; no step when it changes nothing.
    private func run(_ write: Journal.Write, on document: JSONDocument) -> Outcome {
        var transaction = SettingsTransaction(
            document: document, publication: publication, location: backend.location)
        var failed: [(assignment: PendingAssignment, error: SettingsError)] = []
        do {
            switch write {
            case .transaction(let pending): try pending.body(&transaction)
            case .assignments(let assignments):
                for assignment in assignments {
                    do throws(SettingsError) { try transaction.set(assignment) } catch {
                        failed.append((assignment, error))
                    }
                }
            }
            let edited = try transaction.finish()
            guard edited !== document else {
                return Outcome(result: .success(nil), hasSet: transaction.hasSet, failed: failed)
            }
            let candidate = publication.prepare(
                Snapshot(document: edited, location: backend.location), changed: transaction.touched)
            let refusals = candidate.refusals
            guard refusals.isEmpty else { throw SettingsError(.invalidValue, problems: refusals) }
            let step = Step(document: edited, candidate: candidate)
            return Outcome(result: .success(step), hasSet: transaction.hasSet, failed: failed)
        } catch {
            return Outcome(result: .failure(error), failed: failed)
        }
    }

    /// Publishes what came of `write` as a revision of its own, and tells who waits.
    private func finish(_ write: Journal.Write, _ outcome: Outcome, unsure: SettingsError?) {
        switch write {
        case .transaction(let transaction):
            var result = outcome.result.map { _ in }
            if case .success(let step?) = outcome.result {
                publish(step, settling: [])
                if let unsure { result = .failure(unsure) }
            }
            let waiter = publication.state.withLock { _ in
                defer { transaction.waiter = nil }
                return transaction.waiter
            }
            waiter?.resume(with: result)
        case .assignments(let assignments):
            finish(assignments, outcome, unsure: unsure)
        }
    }

    private func finish(_ assignments: [PendingAssignment], _ outcome: Outcome, unsure: SettingsError?) {
        switch outcome.result {
        case .success(let step):
            let failed = Set(outcome.failed.map(\.assignment.id))
            let settled = Set(assignments.map(\.id)).subtracting(failed)
            if let step {
                publish(step, settling: settled)
                if let unsure { publication.noteBackgroundFailure(unsure) }
            }
            // Those whose value the text had already are not part of the step.
            publication.settle(settled, of: assignments.map(\.cell))
            for (assignment, error) in outcome.failed {
                publication.withdraw([assignment.id], of: [assignment.cell], because: error)
            }
        case .failure(let error):
            let reason = error as? SettingsError ?? SettingsError(.inputOutput, "\(error)", file: backend.location)
            publication.withdraw(Set(assignments.map(\.id)), of: assignments.map(\.cell), because: reason)
        }
    }

    private func publish(_ step: Step, settling settled: Set<AssignmentID>) {
        publication.publish(
            step.candidate, cause: .local, settling: settled, contentProblems: duplicates(in: step.document))
    }
}

extension SettingsError {
    /// The error of a write while somebody else is in the middle of one and did not come to its end in time.
    fileprivate static func stillBeingWritten(_ file: String?) -> SettingsError {
        SettingsError(.fileUnusable, "another program is still writing the file; it was left alone", file: file)
    }
}

extension SettingsBackendReading {
    /// Whether there is no text.
    fileprivate var isNothing: Bool {
        switch self {
        case .missing, .empty: true
        case .text, .unusable, .unsettled: false
        }
    }
}
