import SystemCalls

extension LockedFile {
    /// Writes over the target's content. Used only where its name cannot be given to another file; `instead` is the
    /// failure that showed it, which is thrown if the file cannot be written either.
    ///
    /// The new bytes first, then the new length, so that no reader finds the file empty. Room that is needed is reserved
    /// before anything is touched, and a write that fails nevertheless is undone.
    func replaceInPlace(
        _ round: inout Round, _ reason: Replacement.InPlaceReason, instead cause: SystemError? = nil,
        merge: (_ displaced: [UInt8]) throws -> [UInt8]
    ) throws -> Replacement {
        while round.number <= Self.mostRounds {
            let found: OpenFile?
            do {
                found = try open(place.name, forWriting: true)
            } catch let error as SystemError {
                // If the file refuses too, that the directory did is what the caller can mend.
                if let cause, error.isRefusal && cause.isRefusal { throw cause }
                throw error
            }
            guard let old = found else {
                throw cause ?? SystemError(call: "openat", path: place.path, code: SystemError.missingEntry)
            }
            guard old.bytes == round.expected else {
                // Merging takes its time, so it is followed by another look.
                try round.start(from: old.bytes, merging: { try self.merged($0, merge) })
                round.number += 1
                continue
            }
            try overwrite(old, with: round.text)
            var replacement = Replacement(
                method: .inPlace(reason), bytes: round.text, rounds: round.number, notExclusive: isOnNetwork)
            if options.durability == .full {
                do throws(SystemError) {
                    try calls.sync(old.held.number, path: place.path)
                } catch {
                    replacement.durabilityUnknown = error
                }
            }
            return replacement
        }
        throw contended()
    }

    private func overwrite(_ old: OpenFile, with text: [UInt8]) throws {
        let growth = text.count - old.bytes.count
        if growth > 0 {
            do {
                try calls.reserve(growth, at: old.bytes.count, in: old.held.number, path: place.path)
            } catch {
                if !error.isNotOffered { throw error }
            }
        }
        do {
            try calls.write(text, to: old.held.number, path: place.path)
            if growth < 0 { try calls.setLength(text.count, of: old.held.number, path: place.path) }
        } catch {
            do {
                try calls.write(old.bytes, to: old.held.number, path: place.path)
                try calls.setLength(old.bytes.count, of: old.held.number, path: place.path)
            } catch {
                throw DurableFileError(
                    .io, file, "it was written in place, which failed in the middle and could not be undone",
                    cause: error)
            }
            throw error
        }
    }
}
