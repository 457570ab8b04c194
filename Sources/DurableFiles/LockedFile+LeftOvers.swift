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
        var edits: [(name: String, bytes: [UInt8], new: TextHash)] = []
        for name in names.sorted() {
            switch TemporaryName(name, for: place.name) {
            case .none: continue
            case .draft: removeQuietly(name)
            case .swap(let read, let new, _):
                guard let bytes = try open(name)?.bytes else { continue }
                let hash = TextHash(of: bytes)
                // The old text, which the target held, or the new one, which nobody was promised.
                if hash == read || hash == new { removeQuietly(name) } else { edits.append((name, bytes, new)) }
            }
        }
        if edits.isEmpty { return [] }
        let present = try read().bytes.map(TextHash.init(of:))
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
