/// For streams over the whole text: the newest snapshot and the one that was taken last. What lies between is joined.
struct NewestSnapshot: MailboxContent {
    struct Step: Sendable {
        let from: Snapshot
        let to: Snapshot
        let stamp: PublicationStamp
    }

    var pending: Step?

    mutating func join(_ step: Step) {
        pending = Step(from: pending?.from ?? step.from, to: step.to, stamp: step.stamp)
    }

    mutating func take() -> Step? {
        defer { pending = nil }
        return pending
    }
}
