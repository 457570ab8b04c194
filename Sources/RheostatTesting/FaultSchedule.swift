/// Which of the coming calls meet which fault. Faults that are planned are met one after the other.
struct FaultSchedule<Fault: Sendable>: Sendable {
    private struct Entry: Sendable {
        let fault: Fault
        var skips: Int
        var repeats: Int
    }

    private var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }

    /// Lets `skips` calls go well, and then `repeats` calls meet `fault`.
    mutating func plan(_ fault: Fault, after skips: Int, repeats: Int) {
        guard repeats > 0 else { return }
        entries.append(Entry(fault: fault, skips: max(0, skips), repeats: repeats))
    }

    /// The fault of the call that is made now; `nil` when it goes well.
    mutating func next() -> Fault? {
        guard let entry = entries.first else { return nil }
        if entry.skips > 0 {
            entries[0].skips -= 1
            return nil
        }
        if entry.repeats == 1 {
            entries.removeFirst()
        } else if entry.repeats < .max {
            entries[0].repeats -= 1
        }
        return entry.fault
    }
}
