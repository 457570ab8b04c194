import SystemCalls

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension LockedFile {
    /// Replaces the content by `new`, if it is still `expected`, which the caller has just read (nil: missing).
    ///
    /// If another program saved its own text in between, `merge` is given that text and returns what the file shall
    /// hold instead; this is repeated while more comes in between, 8 rounds at most.
    ///
    /// - Throws: ``DurableFileError``. The file holds what it held, or what another program saved last.
    package func replace(
        expecting expected: [UInt8]?, with new: [UInt8], merge: (_ displaced: [UInt8]) throws -> [UInt8]
    ) throws -> Replacement {
        do {
            let draft: Draft
            do {
                let old = try open(place.name)
                draft = try makeDraft(new, like: old)
            }
            do {
                try calls.rename(
                    draft.name, to: place.name, in: directory.number, path: place.path(of: draft.name),
                    otherPath: place.path)
            } catch {
                removeQuietly(draft.name)
                throw error
            }
            var replacement = Replacement(
                method: expected == nil ? .created : .renamed, bytes: new, rounds: 1, durabilityUnknown: nil,
                notExclusive: isOnNetwork, ownerKept: draft.ownerKept)
            if options.durability == .full {
                do {
                    try calls.syncDirectory(directory.number, path: place.directory)
                } catch { replacement.durabilityUnknown = error }
            }
            return replacement
        } catch let error as SystemError {
            throw DurableFileError(error, file)
        }
    }
}
