package import SystemCalls

/// How a file was replaced.
package struct Replacement: Sendable {
    package enum Method: Hashable, Sendable {
        /// The new file took the name in one step, and what had it was looked at before it was removed.
        case exchanged
        /// The same without the look, since the file system does not offer the exchange: an edit that another program
        /// made in the microseconds between the last look and the renaming is lost.
        case renamed
        /// There was no file; the new one was given the name only because it was free.
        case created
        /// It was written over, which a crash can leave half done.
        case inPlace(InPlaceReason)
    }

    /// Why a file could not be replaced by another one.
    package enum InPlaceReason: Hashable, Sendable {
        /// Something is mounted on the file itself, as containers do with a single file.
        case mountPoint
        /// The directory takes no new names from this process, but the file may be written.
        case directoryNotWritable
    }

    package let method: Method
    /// What the file holds now: `new`, or what `merge` gave last.
    package let bytes: [UInt8]
    /// How many rounds it took: 1, and one more each time another program came in between the last look and the
    /// exchange of names.
    package let rounds: Int
    /// The file is replaced, but making that durable failed: after a power loss it may be the old one.
    package var durabilityUnknown: SystemError?
    /// The file lies on a network file system: the lock may not keep out other machines.
    package let notExclusive: Bool
    /// False if the process may not give the new file the owner and group of the old one. Then the group's rights are
    /// no more than everybody's, since it is another group.
    package var ownerKept = true
}
