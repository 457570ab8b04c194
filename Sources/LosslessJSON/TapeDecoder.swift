extension JSONNode {
    /// Decodes a `Codable` type straight from the tape.
    ///
    /// Throws `JSONValueError`, also for what the type itself refuses with a `DecodingError`; other errors of the type
    /// and of the hooks pass unchanged. Where a member is spelled twice the last counts. Names match as they stand:
    /// a flat "a.b" is the member of that name here.
    package func decode<T: Decodable>(
        _ type: T.Type = T.self, hooks: (any JSONCodingHooks)? = nil
    ) throws -> T {
        do {
            let context = TapeContext(document: document, hooks: hooks)
            return try TapeDecoder(context: context, index: index).decodeUnhooked(type)
        } catch let error as DecodingError {
            throw JSONValueError(error, in: self)
        }
    }
}

/// What all decoders of one call share.
final class TapeContext: Sendable {
    let document: JSONDocument
    let hooks: (any JSONCodingHooks)?

    init(document: JSONDocument, hooks: (any JSONCodingHooks)?) {
        self.document = document
        self.hooks = hooks
    }
}

/// A place on the tape as a `Decoder`. Two words, so that it fits an existential without an allocation.
struct TapeDecoder: Decoder, SingleValueDecodingContainer {
    let context: TapeContext
    let index: Int

    var node: JSONNode { JSONNode(document: context.document, index: index) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    /// Found by walking, since it is hardly ever asked for.
    var codingPath: [any CodingKey] { node.path.steps.map { PathKey($0) } }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard node.kind == .object else { throw JSONValueError.mismatch(node, expected: "an object") }
        return KeyedDecodingContainer(TapeObject<Key>(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard node.kind == .array else { throw JSONValueError.mismatch(node, expected: "an array") }
        return TapeArray(decoder: self)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    @inline(__always)
    func at(_ index: Int) -> TapeDecoder { TapeDecoder(context: context, index: index) }

    /// Decodes the value here, the hooks first.
    @inline(__always)
    func decodeAny<T: Decodable>(_ type: T.Type) throws -> T {
        if let hooks = context.hooks, let value = try hooks.decode(type, from: node) { return value }
        return try decodeUnhooked(type)
    }

    /// Decodes the value here; the commonest scalars without a detour through a container.
    @inline(__always)
    func decodeUnhooked<T: Decodable>(_ type: T.Type) throws -> T {
        // Sound: each cast is between a type and itself; a dynamic cast costs more than the decoding.
        if type == Int.self { return unsafeBitCast(try node.integer(as: Int.self), to: type) }
        if type == String.self { return unsafeBitCast(try node.string(), to: type) }
        if type == Double.self { return unsafeBitCast(try node.double(), to: type) }
        if type == Bool.self { return unsafeBitCast(try node.bool(), to: type) }
        return try T(from: self)
    }

    // MARK: A single value

    func decodeNil() -> Bool { node.isNull }
    func decode(_ type: Bool.Type) throws -> Bool { try node.bool() }
    func decode(_ type: String.Type) throws -> String { try node.string() }
    func decode(_ type: Double.Type) throws -> Double { try node.double() }
    func decode(_ type: Float.Type) throws -> Float { try node.float() }
    func decode(_ type: Int.Type) throws -> Int { try node.integer() }
    func decode(_ type: Int8.Type) throws -> Int8 { try node.integer() }
    func decode(_ type: Int16.Type) throws -> Int16 { try node.integer() }
    func decode(_ type: Int32.Type) throws -> Int32 { try node.integer() }
    func decode(_ type: Int64.Type) throws -> Int64 { try node.integer() }
    func decode(_ type: UInt.Type) throws -> UInt { try node.integer() }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try node.integer() }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try node.integer() }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try node.integer() }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try node.integer() }
    func decode(_ type: Int128.Type) throws -> Int128 { try node.integer() }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try node.integer() }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try decodeAny(type) }
}

/// An object on the tape as a keyed container.
struct TapeObject<Key: CodingKey>: KeyedDecodingContainerProtocol {
    /// One reference, as the container is copied at each call.
    private let frame: TapeFrame

    init(decoder: TapeDecoder) { frame = TapeFrame(decoder: decoder) }

    private var decoder: TapeDecoder { frame.decoder }
    private var object: JSONNode { frame.decoder.node }
    var codingPath: [any CodingKey] { frame.decoder.codingPath }

    var allKeys: [Key] {
        var keys: [Key] = []
        var seen = Set<String>()
        for member in object.members {
            let name = member.name
            if seen.insert(name).inserted, let key = Key(stringValue: name) { keys.append(key) }
        }
        return keys
    }

    /// The tape index of a member's value, or -1.
    @inline(__always)
    private func find(_ key: Key) -> Int { frame.lastValue(key.stringValue) }

    func contains(_ key: Key) -> Bool { find(key) >= 0 }

    @inline(__always)
    private func node(_ key: Key) throws -> JSONNode {
        let index = find(key)
        if index < 0 { throw missing(key.stringValue) }
        return JSONNode(document: frame.document, index: index)
    }

    private func missing(_ name: String) -> JSONValueError {
        JSONValueError(
            .missingMember, at: object, found: "no member \"\(name)\"", expected: "a member \"\(name)\"")
    }

    /// The value, or nil if it is absent or null.
    @inline(__always)
    private func present(_ key: Key) -> JSONNode? {
        let index = find(key)
        if index < 0 { return nil }
        let node = JSONNode(document: frame.document, index: index)
        return node.isNull ? nil : node
    }

    func decodeNil(forKey key: Key) throws -> Bool { try node(key).isNull }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try node(key).bool() }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try node(key).string() }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try node(key).double() }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try node(key).float() }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try node(key).integer() }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try node(key).integer() }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try node(key).integer() }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try node(key).integer() }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try node(key).integer() }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try node(key).integer() }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try node(key).integer() }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try node(key).integer() }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try node(key).integer() }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try node(key).integer() }
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try node(key).integer() }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try node(key).integer() }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try decoder.at(node(key).index).decodeAny(type)
    }

    // One look-up instead of three where the value is optional.
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try present(key)?.bool() }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try present(key)?.string() }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try present(key)?.double() }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try present(key)?.float() }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try present(key)?.integer() }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try present(key)?.integer() }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try present(key)?.integer() }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try present(key)?.integer() }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try present(key)?.integer() }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try present(key)?.integer() }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try present(key)?.integer() }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try present(key)?.integer() }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try present(key)?.integer() }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try present(key)?.integer() }
    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? { try present(key)?.integer() }
    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? { try present(key)?.integer() }
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        guard let node = present(key) else { return nil }
        return try decoder.at(node.index).decodeAny(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try decoder.at(node(key).index).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder.at(node(key).index).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        let index = frame.lastValue("super")
        if index < 0 { throw missing("super") }
        return decoder.at(index)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { decoder.at(try node(key).index) }
}

/// What a keyed container needs, behind one reference.
final class TapeFrame {
    let decoder: TapeDecoder
    let document: JSONDocument
    private let names: TapeNames

    init(decoder: TapeDecoder) {
        self.decoder = decoder
        document = decoder.context.document
        names = TapeNames(document, decoder.index)
    }

    /// The tape index of the value of the last member of that name, or -1.
    func lastValue(_ name: String) -> Int { names.lastValue(name, in: document) }
}

/// The names of one object by hash, so that reading all members of a structure costs no walk for each.
struct TapeNames {
    private let object: Int
    /// In text order, the hash in the high half, the tape index of the value in the low half. Empty for a wide object,
    /// which has its place in the document's index.
    private let entries: [UInt64]
    private let isWide: Bool

    private static let limit = 48

    init(_ document: JSONDocument, _ object: Int) {
        self.object = object
        let end = Int(document.node(object).next)
        var name = object + 1
        var count = 0
        while name < end, count <= Self.limit {
            count += 1
            name = Int(document.node(name + 1).next)
        }
        isWide = count > Self.limit
        if isWide {
            entries = []
            return
        }
        entries = [UInt64](unsafeUninitializedCapacity: count) { buffer, initialized in
            // Sound: exactly `count` members are walked, as above.
            var name = object + 1
            while initialized < count {
                let node = document.node(name)
                let hash: UInt32
                if node.has(TapeNode.hasEscape) {
                    hash = JSONString.unescapedName(document, name).withUnsafeBytes(Self.hash)
                } else {
                    hash = Self.hash(
                        UnsafeRawBufferPointer(rebasing: document.rawText[JSONString.contents(document, name)]))
                }
                buffer.initializeElement(at: initialized, to: UInt64(hash) << 32 | UInt64(name + 1))
                initialized += 1
                name = Int(document.node(name + 1).next)
            }
        }
    }

    /// The tape index of the value of the last member of that name, or -1.
    @inline(__always)
    func lastValue(_ name: String, in document: JSONDocument) -> Int {
        if let found = name.utf8.withContiguousStorageIfAvailable({ find(UnsafeRawBufferPointer($0), in: document) }) {
            return found
        }
        return Array(name.utf8).withUnsafeBytes { find($0, in: document) }
    }

    private func find(_ name: UnsafeRawBufferPointer, in document: JSONDocument) -> Int {
        if isWide { return document.lastMember(of: object, named: name) }
        let hash = UInt64(Self.hash(name))
        return entries.withUnsafeBufferPointer { entries in
            var position = entries.count
            while position > 0 {
                position &-= 1
                let entry = entries[position]
                if entry >> 32 == hash {
                    let value = Int(entry & 0xFFFF_FFFF)
                    if document.isName(value &- 1, equalTo: name) { return value }
                }
            }
            return -1
        }
    }

    /// Cheap: the comparison of bytes decides, and a structure has few members.
    @inline(__always)
    private static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        var hash = UInt32(truncatingIfNeeded: bytes.count)
        let count = bytes.count
        if count >= 8 {
            let first = bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
            let last = bytes.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
            let mixed = (first ^ (last &* 0x9E37_79B9_7F4A_7C15)) &* 0xD6E8_FEB8_6659_FD93
            return hash ^ UInt32(truncatingIfNeeded: mixed >> 32)
        }
        var position = 0
        while position < count {
            hash = (hash ^ UInt32(bytes[position])) &* 0x0100_0193
            position &+= 1
        }
        return hash
    }
}

/// An array on the tape as an unkeyed container.
struct TapeArray: UnkeyedDecodingContainer {
    private let decoder: TapeDecoder
    /// The tape index of the next element.
    private var next: Int
    private let end: Int
    private(set) var currentIndex = 0

    init(decoder: TapeDecoder) {
        self.decoder = decoder
        next = decoder.index + 1
        end = Int(decoder.context.document.node(decoder.index).next)
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { decoder.node.count }
    var isAtEnd: Bool { next >= end }

    private func node() throws -> JSONNode {
        if isAtEnd {
            throw JSONValueError(
                .missingElement, at: decoder.node, found: "\(currentIndex) elements", expected: "another element")
        }
        return JSONNode(document: decoder.context.document, index: next)
    }

    /// Moves on, only after a success: so a type may try several ways to read an element.
    private mutating func advance() {
        next = Int(decoder.context.document.node(next).next)
        currentIndex += 1
    }

    mutating func decodeNil() throws -> Bool {
        let isNull = try node().isNull
        if isNull { advance() }
        return isNull
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool {
        let value = try node().bool()
        advance()
        return value
    }

    mutating func decode(_ type: String.Type) throws -> String {
        let value = try node().string()
        advance()
        return value
    }

    mutating func decode(_ type: Double.Type) throws -> Double {
        let value = try node().double()
        advance()
        return value
    }

    mutating func decode(_ type: Int.Type) throws -> Int {
        let value: Int = try node().integer()
        advance()
        return value
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let value = try decoder.at(node().index).decodeAny(type)
        advance()
        return value
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        let container = try decoder.at(node().index).container(keyedBy: type)
        advance()
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try decoder.at(node().index).unkeyedContainer()
        advance()
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = decoder.at(try node().index)
        advance()
        return decoder
    }
}

/// A step of a path as a coding key.
struct PathKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ step: JSONPath.Step) {
        switch step {
        case .name(let name): (stringValue, intValue) = (name, nil)
        case .index(let index): (stringValue, intValue) = ("Index \(index)", index)
        }
    }

    init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }
    init(intValue: Int) { (stringValue, self.intValue) = ("Index \(intValue)", intValue) }
}

extension JSONNode {
    /// The value of the last member of that very name; nil if there is none or this is no object.
    package func lastMember(named name: String) -> JSONNode? {
        var name = name
        let found = name.withUTF8 { document.lastMember(of: index, named: UnsafeRawBufferPointer($0)) }
        return found < 0 ? nil : JSONNode(document: document, index: found)
    }
}

extension JSONDocument {
    /// The tape index of the value of the last member of that name, or -1.
    func lastMember(of object: Int, named name: UnsafeRawBufferPointer) -> Int {
        let node = node(object)
        guard node.kind == .object else { return -1 }
        var found = -1
        var walked = 0
        var index = object + 1
        if let made = madeNameIndex, NameIndex.isWide(object, in: self) {
            made.forEachCandidate(name, in: object) { candidate in
                if isName(candidate, equalTo: name) { found = candidate + 1 }
            }
            return found
        }
        while index < Int(node.next) {
            if isName(index, equalTo: name) { found = index + 1 }
            walked += 1
            index = Int(self.node(index + 1).next)
        }
        if walked >= NameIndex.wide { noteWalk(over: walked) }
        return found
    }

    @inline(__always)
    func isName(_ index: Int, equalTo name: UnsafeRawBufferPointer) -> Bool {
        let node = node(index)
        if node.has(TapeNode.hasEscape) {
            return JSONString.unescapedName(self, index).withUnsafeBytes {
                $0.count == name.count && Memory.areEqual($0.baseAddress, name.baseAddress, name.count)
            }
        }
        return Int(node.end &- node.start) - 2 == name.count
            && Memory.areEqual(
                rawText.baseAddress.map { $0 + Int(node.start) + 1 }, name.baseAddress, name.count)
    }
}

extension JSONDocument {
    /// Whether the name at a tape index begins with `beginning`, escapes resolved.
    func isName(_ index: Int, beginningWith beginning: UnsafeRawBufferPointer) -> Bool {
        let node = node(index)
        if node.has(TapeNode.hasEscape) { return JSONString.unescapedName(self, index).starts(with: beginning) }
        return Int(node.end &- node.start) - 2 >= beginning.count
            && Memory.areEqual(
                rawText.baseAddress.map { $0 + Int(node.start) + 1 }, beginning.baseAddress, beginning.count)
    }
}

extension JSONValueError {
    /// What a type refused while decoding itself, at the place it says.
    init(_ error: DecodingError, in root: JSONNode) {
        let context: DecodingError.Context
        switch error {
        case .typeMismatch(_, let found), .valueNotFound(_, let found), .keyNotFound(_, let found),
            .dataCorrupted(let found):
            context = found
        @unknown default:
            self.init(.corrupted, at: root, found: root.kind.description, expected: "another value")
            return
        }
        var node = root.document.root ?? root
        for key in context.codingPath {
            if let position = key.intValue, node.kind == .array {
                var elements = node.elements.dropFirst(position).makeIterator()
                guard let element = elements.next() else { break }
                node = element
            } else if let value = node.lastMember(named: key.stringValue) {
                node = value
            } else {
                break
            }
        }
        self.init(.corrupted, at: node, found: node.kind.description, expected: context.debugDescription)
    }
}
