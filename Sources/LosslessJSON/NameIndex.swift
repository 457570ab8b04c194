/// A hash index over the members of all wide objects of a document, so that n look-ups in an object of n members are
/// not quadratic. Immutable once made.
final class NameIndex: Sendable {
    /// Objects with fewer members are walked.
    static let wide = 16

    /// One past a name's tape index; 0 for a free slot. Open addressing, linear probing, nothing ever removed: entries
    /// of one key follow one another in the order of insertion, which is text order.
    private let slots: [UInt32]
    private let hashes: [UInt32]
    /// The object that each name is a member of.
    private let objects: [UInt32]
    private let mask: Int

    /// Chosen anew by each process, so that nobody can write a file whose names all collide.
    private static let seed = UInt64.random(in: 1...UInt64.max)

    init(_ document: JSONDocument) {
        var names: [(name: UInt32, hash: UInt32, object: UInt32)] = []
        for index in 0..<document.nodeCount where document.node(index).kind == .object {
            let object = JSONNode(document: document, index: index)
            if !Self.isWide(index, in: document) { continue }
            for member in object.members {
                let hash = Self.hash(ofNameAt: member.nameIndex, in: document, object: index)
                names.append((UInt32(member.nameIndex), hash, UInt32(index)))
            }
        }
        var capacity = 16
        while capacity < names.count * 2 { capacity *= 2 }
        mask = capacity - 1
        var slots = [UInt32](repeating: 0, count: capacity)
        var hashes = slots
        var objects = slots
        for (name, hash, object) in names {
            var slot = Int(hash) & (capacity - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (capacity - 1) }
            slots[slot] = name + 1
            hashes[slot] = hash
            objects[slot] = object
        }
        self.slots = slots
        self.hashes = hashes
        self.objects = objects
    }

    /// Whether an object is in the index.
    static func isWide(_ object: Int, in document: JSONDocument) -> Bool {
        let end = Int(document.node(object).next)
        var name = object + 1
        var count = 0
        while name < end, count < wide {
            count += 1
            name = Int(document.node(name + 1).next)
        }
        return count == wide
    }

    /// Calls `body` with the tape index of each name in an object, in text order, that has the hash of `name`: the
    /// caller still compares the bytes.
    @inline(__always)
    func forEachCandidate(_ name: UnsafeRawBufferPointer, in object: Int, _ body: (Int) -> Void) {
        let hash = Self.hash(name, object: object)
        var slot = Int(hash) & mask
        while slots[slot] != 0 {
            if hashes[slot] == hash, objects[slot] == UInt32(truncatingIfNeeded: object) { body(Int(slots[slot]) - 1) }
            slot = (slot + 1) & mask
        }
    }

    private static func hash(ofNameAt index: Int, in document: JSONDocument, object: Int) -> UInt32 {
        if document.node(index).has(TapeNode.hasEscape) {
            return JSONString.unescapedName(document, index).withUnsafeBytes { hash($0, object: object) }
        }
        let range = JSONString.contents(document, index)
        return document.withBytes { hash(UnsafeRawBufferPointer(rebasing: $0[range]), object: object) }
    }

    /// The hash of a name inside the object at a tape index.
    static func hash(_ bytes: UnsafeRawBufferPointer, object: Int) -> UInt32 {
        var state = seed ^ UInt64(object) &* 0x9E37_79B9_7F4A_7C15
        var position = 0
        while position + 8 <= bytes.count {
            mix(&state, bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            position += 8
        }
        var rest = UInt64(bytes.count) << 56
        var shift: UInt64 = 0
        while position < bytes.count {
            rest |= UInt64(bytes[position]) << shift
            shift += 8
            position += 1
        }
        mix(&state, rest)
        mix(&state, seed)
        return UInt32(truncatingIfNeeded: state ^ state >> 32)
    }

    @inline(__always)
    private static func mix(_ state: inout UInt64, _ word: UInt64) {
        let product = (state ^ word).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        state = product.high ^ product.low
    }
}
