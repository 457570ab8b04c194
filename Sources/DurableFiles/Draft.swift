import SystemCalls

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The new text in a file of its own beside the target, written in full, synced where asked for, and held open.
struct Draft: Sendable {
    /// Its name in the directory when it was made.
    let name: String
    let held: HeldFile
    let ownerKept: Bool
}

extension LockedFile {
    /// Makes a draft that holds `bytes` and has mode, owner and extended attributes of `old`. Leaves nothing if it
    /// throws.
    func makeDraft(_ bytes: [UInt8], like old: OpenFile?) throws(SystemError) -> Draft {
        var name = TemporaryName.newDraft().name(for: place.name)
        var path = place.path(of: name)
        // A file that takes another's place is nobody's but ours until it has the rights of that one.
        let mode: mode_t = old == nil ? options.creationMode : 0o600
        var created: FileDescriptor?
        for attempt in 0..<16 where created == nil {
            do {
                created = try calls.open(
                    name, in: directory.number, flags: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode, path: path)
            } catch {
                if error.code != EEXIST || attempt == 15 { throw error }
                name = TemporaryName.newDraft().name(for: place.name)
                path = place.path(of: name)
            }
        }
        guard let descriptor = created else { throw SystemError(call: "openat", path: path, code: EEXIST) }
        do {
            let status = try calls.status(of: descriptor.number, path: path)
            let ownerKept = try keepRights(of: old, on: descriptor.number, now: status, path: path)
            try calls.write(bytes, to: descriptor.number, path: path)
            // A network file system tells of a full disk at the sync, if not at all.
            if options.durability == .full || isOnNetwork { try calls.sync(descriptor.number, path: path) }
            return Draft(name: name, held: HeldFile(descriptor, status.identity), ownerKept: ownerKept)
        } catch {
            removeQuietly(name)
            throw error
        }
    }

    /// Gives the new file the owner, mode and extended attributes of the old one. Returns whether the owner was kept.
    private func keepRights(
        of old: OpenFile?, on descriptor: CInt, now: FileStatus, path: String
    ) throws(SystemError) -> Bool {
        guard let old else { return true }
        var mode = old.status.permissions
        var ownerKept = true
        if now.owner != old.status.owner || now.group != old.status.group {
            do {
                try calls.setOwner(old.status.owner, group: old.status.group, of: descriptor, path: path)
            } catch {
                guard error.code == EPERM || error.code == EINVAL else { throw error }
                ownerKept = false
                // The set-user-ID bits are another user's now.
                mode &= 0o1777
                do {
                    // The group alone: a user may give a file to any group of theirs.
                    try calls.setOwner(uid_t.max, group: old.status.group, of: descriptor, path: path)
                } catch {
                    guard error.code == EPERM || error.code == EINVAL else { throw error }
                    // Another group must not get the rights of the old one, only those of everybody.
                    if now.group != old.status.group { mode = mode & 0o1707 | (mode & 0o007) << 3 & mode }
                }
            }
        }
        try calls.setMode(mode, of: descriptor, path: path)
        try keepAttributes(of: old.held.number, on: descriptor, path: path)
        return ownerKept
    }

    /// Copies extended attributes, access control lists among them. Those that only a privileged process may set, or
    /// that the file system does not take, are left out.
    private func keepAttributes(of old: CInt, on new: CInt, path: String) throws(SystemError) {
        let refusals = [ENOTSUP, EOPNOTSUPP, EPERM, EACCES, ENODATA]
        let names: [UInt8]
        do {
            names = try calls.attributeNames(of: old, path: place.path)
        } catch {
            if refusals.contains(error.code) || error.code == ENOSYS { return }
            throw error
        }
        for name in names.split(separator: 0) {
            let name = Array(name) + [0]
            // Signatures of the content that is replaced.
            if ["security.ima", "security.evm"].contains(String(decoding: name.dropLast(), as: UTF8.self)) { continue }
            do {
                let value = try calls.attribute(name, of: old, path: place.path)
                try calls.setAttribute(name, to: value, of: new, path: path)
            } catch {
                if !refusals.contains(error.code) { throw error }
            }
        }
    }

    /// For clean-up: what cannot be removed now is found and removed as a left-over later.
    func removeQuietly(_ name: String) {
        try? calls.remove(name, in: directory.number, path: place.path(of: name))
    }
}
