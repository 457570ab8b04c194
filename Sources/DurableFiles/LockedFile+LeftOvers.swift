import SystemCalls

/// A text that another program saved and that a replacement was about to take in when its process ended.
package struct Displaced: Sendable {
    /// The whole text.
    package let bytes: [UInt8]
    /// The file it stands in now, beside the target.
    package let path: String
    /// Whether the target still holds the text that displaced this one. Then nothing was built on it and nothing of it
    /// was acknowledged, so that `bytes` may simply take its place; otherwise they must be merged.
    package let isOursStillThere: Bool
    let name: String
}

extension LockedFile {
    /// Clears away what a process that ended during a replacement left beside the target, and tells what is not to be
    /// cleared away: the edits of other programs that had been displaced and not been merged yet.
    ///
    /// Removed are drafts of this target, and swaps whose text is known by a hash in their names (``TemporaryName``).
    /// The texts that are returned stay where they are, and are returned again the next time, until the caller discards
    /// or keeps each. No other file is touched.
    ///
    /// To be called once when a file is opened. Cost: reads the directory, and the left-overs.
    ///
    /// - Throws: ``DurableFileError`` if the directory or a left-over cannot be read. Failing to remove one is no error.
    package func recoverDisplaced() throws -> [Displaced] {
        do {
            return try clearLeftOvers()
        } catch let error as SystemError {
            throw DurableFileError(error, file)
        }
    }

    private func clearLeftOvers() throws -> [Displaced] {
        let prefix = Array(TemporaryName.prefix(for: place.name).utf8)
        let names = try calls.names(in: directory.number, path: place.directory) { $0.starts(with: prefix) }
        var swaps: [LeftOverSwap] = []
        for name in names.sorted() {
            switch TemporaryName(name, for: place.name) {
            case .none: continue
            case .draft: removeQuietly(name)
            case .swap(let read, let new, let merged, _):
                guard let bytes = try open(name)?.bytes else { continue }
                swaps.append(
                    LeftOverSwap(
                        name: name, read: read, new: new, merged: merged, bytes: bytes, hash: TextHash(of: bytes)))
            }
        }
        if swaps.isEmpty { return [] }

        // A later round took place if its swap no longer holds the new text. Then the edit it merged is in the target,
        // or was overwritten by another edit, and its own swap is dispensable.
        let merged = Set(swaps.compactMap { $0.hash == $0.new ? nil : $0.merged })
        // Those first, since the swap that says so may itself be dispensable.
        for swap in swaps where merged.contains(swap.hash) { removeQuietly(swap.name) }
        let rest = swaps.filter { !merged.contains($0.hash) }
        for swap in rest where swap.isDispensable { removeQuietly(swap.name) }
        let edits = rest.filter { !$0.isDispensable }
        if edits.isEmpty { return [] }

        let present = try read().hash
        return edits.map {
            Displaced(
                bytes: $0.bytes, path: place.path(of: $0.name), isOursStillThere: $0.new == present, name: $0.name)
        }
    }

    /// Removes a displaced text that has been merged, or is not wanted. Does nothing if the file holds another by now.
    package func discard(_ displaced: Displaced) throws {
        do {
            guard let bytes = try open(displaced.name)?.bytes, bytes == displaced.bytes else { return }
            try calls.remove(displaced.name, in: directory.number, path: displaced.path)
        } catch let error as SystemError {
            if !error.isMissingEntry { throw DurableFileError(error, file) }
        }
    }

    /// Gives a displaced text a name that people see, `NAME.displaced-N`, so that it is not found again. Returns its
    /// path.
    package func keep(_ displaced: Displaced) throws -> String {
        var number = 1
        while true {
            let name = "\(place.name).displaced-\(number)"
            let path = place.path(of: name)
            do {
                try renameWithoutReplacing(displaced.name, to: name)
                if options.durability == .full { try calls.syncDirectory(directory.number, path: place.directory) }
                return path
            } catch {
                if !error.isExistingEntry || number == 10_000 { throw DurableFileError(error, file) }
                number += 1
            }
        }
    }
}

extension LockedFile.Content {
    fileprivate var hash: TextHash? { if case .bytes(let bytes) = self { TextHash(of: bytes) } else { nil } }
}

/// A swap that was found, and what its name says.
private struct LeftOverSwap {
    let name: String
    let read: TextHash?
    let new: TextHash
    let merged: TextHash?
    let bytes: [UInt8]
    let hash: TextHash

    /// Whether its text stands elsewhere, or was never acknowledged.
    var isDispensable: Bool { hash == new || hash == read }
}
