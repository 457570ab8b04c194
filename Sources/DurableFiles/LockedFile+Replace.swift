import SystemCalls

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

// The steps of a replacement, and what a crash after each leaves:
//
// 1. look          read the target again; if it is not what was expected, merge before anything is touched
// 2. draft         write the text beside it, with the old file's rights, and sync         (a draft: removed later)
// 3. swap          rename the draft to a name that carries the hashes of both texts       (known by a hash: removed)
// 4. exchange      the two names change their files
// 5. look          is what came out what was expected?  (target new; the swap known by a hash, or an edit: recovered)
// 6. remove        the swap
// 7. sync          the directory
//
// If another text came out in step 5, the names are exchanged back at once, and all is done again from step 1, which
// finds that text in its place: our own, which lacks the edit, is to be seen for microseconds only, and whatever fails
// later, the edit is where its author put it.

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
    /// Cost: with `.full` two syncs, which is most of it; besides some forty quick system calls (65 µs on tmpfs).
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
        while round.number <= Self.mostRounds {
            if let done = try attempt(&round, merge: merge) { return done }
            round.number += 1
        }
        throw contended()
    }

    /// One round. Nil when the target changed meanwhile, so that there has to be another; nothing is left then.
    private func attempt(
        _ round: inout Round, merge: (_ displaced: [UInt8]) throws -> [UInt8]
    ) throws -> Replacement? {
        var old = try open(place.name)
        if let found = old, found.bytes != round.expected, waitForWriters(of: found.held) {
            // That was a text half saved.
            old = try open(place.name)
        }
        try round.start(from: old?.bytes, merging: { try self.merged($0, merge) })

        let draft: Draft
        do {
            draft = try makeDraft(round.text, like: old)
        } catch {
            // Refused to make any file there, that is.
            let isCreation = error.call == FileCall.Name.open.rawValue
            if old != nil && isCreation && error.isRefusal {
                throw NotReplaceable(reason: .directoryNotWritable, cause: error)
            }
            throw error
        }
        guard let old else {
            do {
                try renameWithoutReplacing(draft.name, to: place.name)
            } catch {
                removeQuietly(draft.name)
                if error.isExistingEntry { return nil }
                throw error
            }
            return finish(.created, round, draft)
        }

        let swap = TemporaryName.newSwap(read: TextHash(of: old.bytes), new: TextHash(of: round.text))
            .name(for: place.name)
        do {
            try rename(draft.name, to: swap)
        } catch {
            removeQuietly(draft.name)
            throw error
        }
        let method: Replacement.Method?
        do {
            method = try giveName(to: swap, over: old, &round)
        } catch {
            guard let cause = error as? SystemError else {
                removeQuietly(swap)
                throw error
            }
            guard cause.isMissingEntry || cause.isRefusal || cause.code == EBUSY else {
                // After EIO and the like the names may have been exchanged all the same.
                remove(swap, ifStill: draft)
                throw cause
            }
            removeQuietly(swap)
            if cause.isMissingEntry { return nil }
            throw NotReplaceable(
                reason: cause.code == EBUSY ? .mountPoint : .directoryNotWritable, cause: cause)
        }
        switch method {
        case .exchanged:
            let out: [UInt8]?
            do {
                waitForWriters(of: old.held)
                out = try look(at: swap, whichMayBe: [old.held])?.bytes
            } catch {
                // What cannot be looked at is not thrown away.
                try putBack(swap, holding: nil, ours: round.text, draft, after: error)
                throw error
            }
            // Nil: somebody removed the swap itself, and it is theirs to know what was in it.
            if let out, out != old.bytes {
                try putBack(swap, holding: out, ours: round.text, draft, after: nil)
                return nil
            }
            return finish(.exchanged, round, draft, swap: swap)
        case .some(let method):
            return finish(method, round, draft)
        case .none:
            removeQuietly(swap)
            return nil
        }
    }

    /// Gives the target's name to the swap, by exchange if that is offered. Nil if the target is not `old` any more.
    private func giveName(to swap: String, over old: OpenFile, _ round: inout Round) throws -> Replacement.Method? {
        if round.mayExchange {
            do {
                try exchange(swap)
                return .exchanged
            } catch {
                guard error.isNotOffered else { throw error }
                round.mayExchange = false
            }
        }
        guard try open(place.name)?.bytes == old.bytes else { return nil }
        try rename(swap, to: place.name)
        return .renamed
    }

    /// After the new text has the name: clears up, makes it durable.
    private func finish(
        _ method: Replacement.Method, _ round: Round, _ draft: Draft, swap: String? = nil
    ) -> Replacement {
        if let swap { removeQuietly(swap) }
        return Replacement(
            method: method, bytes: round.text, rounds: round.number, durabilityUnknown: syncNames(),
            notExclusive: isOnNetwork, ownerKept: draft.ownerKept)
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

    /// Who has opened the file for writing may write still: waits for them, a quarter of a second at most. Returns
    /// whether there was anybody.
    @discardableResult
    private func waitForWriters(of held: HeldFile) -> Bool {
        for attempt in 0..<10 {
            guard calls.hasWriter(held.number, path: place.path) == true else { return attempt > 0 }
            usleep(250 << UInt32(attempt))
        }
        return true
    }

    /// Removes the swap if it is our own file; otherwise it is found as a left-over.
    private func remove(_ swap: String, ifStill draft: Draft) {
        let status = try? calls.status(of: swap, in: directory.number, path: place.path(of: swap))
        if let status, status.identity == draft.held.identity { removeQuietly(swap) }
    }

    /// Exchanges the names back, so that the target is again the file that stands in the swap, and removes ours.
    ///
    /// `edit` is what the swap holds, nil if that could not be read. Throws, in place of `failure`, if that text stays
    /// beside the target.
    private func putBack(
        _ swap: String, holding edit: [UInt8]?, ours: [UInt8], _ draft: Draft, after failure: (any Error)?
    ) throws {
        var inserted = edit
        var awaited: [UInt8]? = ours
        var isExchanged = false
        var exchanges = 0
        var failures = 0
        do {
            while exchanges < Self.mostRounds {
                do {
                    if !isExchanged { try exchange(swap) }
                    isExchanged = true
                    guard let out = try look(at: swap, whichMayBe: [draft.held])?.bytes else { return }
                    if out == awaited { return removeQuietly(swap) }
                    // Somebody saved over our text meanwhile: theirs is the newest, so it gets the name.
                    (inserted, awaited) = (out, inserted)
                    isExchanged = false
                    exchanges += 1
                } catch let error as SystemError {
                    if error.isMissingEntry {
                        // The target is gone.
                        do {
                            return try renameWithoutReplacing(swap, to: place.name)
                        } catch {
                            if !error.isExistingEntry { throw error }
                        }
                    }
                    // This must not fail if it can be helped: a moment later a descriptor may be free, say.
                    failures += 1
                    if failures == 5 { throw error }
                    usleep(250 << UInt32(failures))
                }
            }
            throw contended()
        } catch {
            let told = "the text that another program saved stays in \(place.path(of: swap))"
            let known = failure as? DurableFileError ?? error as? DurableFileError
            let cause = known?.cause ?? failure as? SystemError ?? error as? SystemError
            throw DurableFileError(known?.code ?? cause.map { .init(errno: $0.code) } ?? .io, file, told, cause: cause)
        }
    }

    private func exchange(_ swap: String) throws(SystemError) {
        try calls.exchange(
            swap, with: place.name, in: directory.number, path: place.path(of: swap), otherPath: place.path)
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
    private(set) var expected: [UInt8]?
    /// What it shall hold.
    private(set) var text: [UInt8]
    var number = 1
    /// Whether the system has not refused the exchange yet.
    var mayExchange = true

    init(expected: [UInt8]?, text: [UInt8]) {
        self.expected = expected
        self.text = text
    }

    /// Starts from what the target holds in truth. If it vanished, the text is made again as it is.
    mutating func start(from found: [UInt8]?, merging merge: ([UInt8]) throws -> [UInt8]) throws {
        if let found, found != expected { text = try merge(found) }
        expected = found
    }
}

/// The name cannot be given to another file.
private struct NotReplaceable: Error {
    let reason: Replacement.InPlaceReason
    let cause: SystemError
}
