import SystemCalls

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

// The steps of a replacement, with what a crash after each leaves:
//
// 1. look          read the target again; if it is not `expected`, merge before anything is touched
// 2. draft         write the text beside it, with the old file's rights, and sync          (a draft: removed later)
// 3. swap          rename the draft to a name that carries the hashes of both texts        (known by a hash: removed)
// 4. exchange      the two names change their files
// 5. look          is what came out what was expected?   (target new; the swap known by a hash, or an edit: recovered)
// 6. remove        the swap
// 7. sync          the directory
//
// If another text came out in step 5, it is merged and all is repeated: the target holds our text meanwhile, and the
// edit stands in the first swap until the merged text is in place. A failure then puts the edit back.

extension LockedFile {
    static var mostRounds: Int { 8 }

    /// Replaces the content by `new`, if it is still `expected`, which the caller has just read (nil: missing).
    ///
    /// Programs that take no lock may save their own text in between. Then `merge` is given that text and returns what
    /// the file shall hold instead, or throws to refuse, and this is repeated while more comes in between, 8 rounds at
    /// most. A file that vanished in between is made again with the last text.
    ///
    /// The file is replaced by another one, which gets mode, owner, extended attributes and access control list of the
    /// old one: a hard link to the old file keeps the old content, and symbolic links stay what they are. Only where the
    /// name cannot be given to another file (something is mounted on it, or the directory is not writable) it is
    /// written in place.
    ///
    /// Once the new text has the name, the replacement counts: a sync of the directory that fails then is told in
    /// ``Replacement/durabilityUnknown``, not thrown.
    ///
    /// Cost: with `.full` two syncs, which is most of it; besides some twenty system calls and the text read twice.
    ///
    /// - Throws: ``DurableFileError``. The file then holds what it held, or what another program saved last, and nothing
    ///   is left beside it. Two exceptions, which the error tells: an edit that came in between cannot be put back (it
    ///   stays beside the file and ``recoverDisplaced()`` finds it), or a write in place fails in the middle and so does
    ///   undoing it.
    package func replace(
        expecting expected: [UInt8]?, with new: [UInt8], merge: (_ displaced: [UInt8]) throws -> [UInt8]
    ) throws -> Replacement {
        do {
            var round = Round(expected: expected, text: try checked(new))
            if isMountRoot { return try replaceInPlace(&round, .mountPoint, merge: merge) }
            do {
                return try replaceByName(&round, merge: merge)
            } catch let refusal as NotReplaceable {
                return try replaceInPlace(&round, refusal.reason, instead: refusal.cause, merge: merge)
            }
        } catch let error as SystemError {
            throw DurableFileError(error, file)
        }
    }

    private func replaceByName(
        _ round: inout Round, merge: (_ displaced: [UInt8]) throws -> [UInt8]
    ) throws -> Replacement {
        do {
            while round.number <= Self.mostRounds {
                if let done = try attempt(&round, merge: merge) { return done }
                round.number += 1
            }
            throw contended()
        } catch {
            guard let displaced = round.displaced, !putBack(displaced) else { throw error }
            throw DurableFileError(keptAside: displaced, place.path(of: displaced.swap), after: error, file)
        }
    }

    /// One round. Nil when there has to be another, for which `round` is prepared.
    private func attempt(
        _ round: inout Round, merge: (_ displaced: [UInt8]) throws -> [UInt8]
    ) throws -> Replacement? {
        let old = try open(place.name)
        if old?.bytes != round.expected {
            if let displaced = round.displaced, old != nil {
                // Who saved this overwrote what they had saved before, as if we had not been there.
                removeQuietly(displaced.swap)
                round.displaced = nil
            }
            try round.take(old?.bytes, merging: { try self.merged($0, merge) })
            return nil
        }

        let draft: Draft
        do {
            draft = try makeDraft(round.text, like: old)
        } catch {
            if (error.isRefusal || error.code == EROFS) && old != nil && round.displaced == nil {
                throw NotReplaceable(reason: .directoryNotWritable, cause: error)
            }
            throw error
        }
        guard let old else {
            do {
                try renameWithoutReplacing(draft.name, to: place.name)
            } catch {
                removeQuietly(draft.name)
                // The next look tells what appeared.
                if error.isExistingEntry { return nil }
                throw error
            }
            return finish(.created, &round, draft)
        }

        let swap = TemporaryName.newSwap(
            read: TextHash(of: old.bytes), new: TextHash(of: round.text),
            merged: round.displaced?.bytes.map(TextHash.init(of:))
        ).name(for: place.name)
        do {
            try calls.rename(
                draft.name, to: swap, in: directory.number, path: place.path(of: draft.name),
                otherPath: place.path(of: swap))
        } catch {
            removeQuietly(draft.name)
            throw error
        }

        do {
            if round.mayExchange {
                do throws(SystemError) {
                    try calls.exchange(
                        swap, with: place.name, in: directory.number, path: place.path(of: swap), otherPath: place.path)
                } catch {
                    guard error.isNotOffered else { throw error }
                    round.mayExchange = false
                }
            }
            if !round.mayExchange {
                // A last look, then the renaming.
                guard try open(place.name)?.bytes == round.expected else {
                    removeQuietly(swap)
                    return nil
                }
                try calls.rename(
                    swap, to: place.name, in: directory.number, path: place.path(of: swap), otherPath: place.path)
                return finish(.renamed, &round, draft)
            }
        } catch {
            removeQuietly(swap)
            guard let cause = error as? SystemError else { throw error }
            // Vanished just now.
            if cause.isMissingEntry { return nil }
            if round.displaced == nil {
                if cause.code == EBUSY { throw NotReplaceable(reason: .mountPoint, cause: cause) }
                if cause.isRefusal { throw NotReplaceable(reason: .directoryNotWritable, cause: cause) }
            }
            throw error
        }

        let out: [UInt8]
        do {
            waitForWriters(of: old.held)
            out = try look(at: swap, whichMayBe: [old.held])?.bytes ?? old.bytes
        } catch {
            // What cannot be looked at is not thrown away. The edit of an earlier round was overwritten by it.
            if let earlier = round.displaced { removeQuietly(earlier.swap) }
            round.displaced = DisplacedText(swap: swap, bytes: nil, ours: round.text, files: [draft.held, old.held])
            throw error
        }
        if out == round.expected { return finish(.exchanged, &round, draft, swap: swap) }

        if let earlier = round.displaced { removeQuietly(earlier.swap) }
        round.displaced = DisplacedText(swap: swap, bytes: out, ours: round.text, files: [draft.held, old.held])
        if round.number == Self.mostRounds { throw contended() }
        let text = try merged(out, merge)
        round.expected = round.text
        round.text = text
        return nil
    }

    /// After the new text has the name: clears up, makes it durable.
    private func finish(
        _ method: Replacement.Method, _ round: inout Round, _ draft: Draft, swap: String? = nil
    ) -> Replacement {
        var replacement = Replacement(
            method: method, bytes: round.text, rounds: round.number, notExclusive: isOnNetwork,
            ownerKept: draft.ownerKept)
        if let displaced = round.displaced {
            // The edit is in the new text. Its own file goes once that is certain to last, and before the swap that
            // says so.
            replacement.durabilityUnknown = syncNames()
            removeQuietly(displaced.swap)
            round.displaced = nil
            if let swap { removeQuietly(swap) }
        } else {
            if let swap { removeQuietly(swap) }
            replacement.durabilityUnknown = syncNames()
        }
        return replacement
    }

    /// Makes the directory durable if asked for; returns the failure.
    func syncNames() -> SystemError? {
        guard options.durability == .full else { return nil }
        do throws(SystemError) {
            try calls.syncDirectory(directory.number, path: place.directory)
            return nil
        } catch {
            return error
        }
    }

    /// Who opened the old file for writing before the exchange may write still: waits for them, a quarter of a second at
    /// most.
    private func waitForWriters(of old: HeldFile) {
        for attempt in 0..<10 {
            guard calls.hasWriter(old.number, path: place.path) == true else { return }
            usleep(250 << UInt32(attempt))
        }
    }

    /// Gives the target its displaced text back. Returns false if that text stays beside it.
    private func putBack(_ displaced: DisplacedText) -> Bool {
        var inserted = displaced.bytes
        var awaited: [UInt8]? = displaced.ours
        for _ in 0..<Self.mostRounds {
            do {
                try calls.exchange(
                    displaced.swap, with: place.name, in: directory.number, path: place.path(of: displaced.swap),
                    otherPath: place.path)
            } catch {
                guard error.isMissingEntry else { return false }
                do {
                    try renameWithoutReplacing(displaced.swap, to: place.name)
                    return true
                } catch {
                    if error.isExistingEntry { continue }
                    return false
                }
            }
            guard let out = try? look(at: displaced.swap, whichMayBe: displaced.files)?.bytes else { return false }
            if out == awaited {
                _ = syncNames()
                removeQuietly(displaced.swap)
                return true
            }
            // Somebody saved over our text meanwhile: theirs is the newest, so it gets the name.
            (inserted, awaited) = (out, inserted)
        }
        return false
    }

    /// What the caller makes of another program's text.
    func merged(_ bytes: [UInt8], _ merge: (_ displaced: [UInt8]) throws -> [UInt8]) throws -> [UInt8] {
        let text: [UInt8]
        do {
            text = try merge(bytes)
        } catch {
            throw DurableFileError(
                .mergeRefused, file, "another program's text came in between and was not merged", underlying: error)
        }
        return try checked(text)
    }

    private func checked(_ text: [UInt8]) throws -> [UInt8] {
        if text.count <= options.maximumSize { return text }
        throw DurableFileError(.tooLarge, file, "the new content is larger than \(options.maximumSize) bytes")
    }

    func contended() -> DurableFileError {
        DurableFileError(
            .contended, file, "another program changed it during each of \(Self.mostRounds) attempts to replace it")
    }
}

/// What is to be written, and over what.
struct Round {
    /// What the target should hold now.
    var expected: [UInt8]?
    /// What it shall hold.
    var text: [UInt8]
    var number = 1
    /// Whether the system has not refused the exchange yet.
    var mayExchange = true
    /// An edit that our text has displaced and that is not in the target yet.
    var displaced: DisplacedText?

    init(expected: [UInt8]?, text: [UInt8]) {
        self.expected = expected
        self.text = text
    }

    /// Starts from what the target holds in truth.
    mutating func take(_ found: [UInt8]?, merging merge: ([UInt8]) throws -> [UInt8]) throws {
        if let found { text = try merge(found) }
        expected = found
    }
}

/// An edit that stands in a swap while the target holds our text.
struct DisplacedText {
    let swap: String
    /// Nil if it could not be read.
    let bytes: [UInt8]?
    /// What the target holds.
    let ours: [UInt8]
    /// Files of this round that are open still.
    let files: [HeldFile]
}

/// The name cannot be given to another file.
private struct NotReplaceable: Error {
    let reason: Replacement.InPlaceReason
    let cause: SystemError
}

extension DurableFileError {
    /// `error`, and that the displaced text could not be put back.
    fileprivate init(keptAside displaced: DisplacedText, _ path: String, after error: any Error, _ file: String) {
        let known = error as? DurableFileError
        let cause = known?.cause ?? (error as? SystemError)
        let told = "the text that another program saved could not be put back and stays in \(path)"
        self.init(
            known?.code ?? cause.map { Code(errno: $0.code) } ?? .io, file,
            known.map { $0.detail.isEmpty ? told : "\($0.detail); \(told)" } ?? told, cause: cause,
            underlying: known?.underlying)
    }
}
