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
            return try TapeDecoder(node: self, hooks: hooks, userInfo: [:]).decodeUnhooked(type)
        } catch let error as DecodingError {
            throw JSONValueError(error, in: self)
        }
    }
}

/// A place on the tape as a `Decoder`. A struct: containers are made by copying it.
struct TapeDecoder: Decoder, SingleValueDecodingContainer {
    let node: JSONNode
    let hooks: (any JSONCodingHooks)?
    let userInfo: [CodingUserInfoKey: Any]

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

    func at(_ node: JSONNode) -> TapeDecoder { TapeDecoder(node: node, hooks: hooks, userInfo: userInfo) }

    /// Decodes the value here, the hooks first.
    func decodeAny<T: Decodable>(_ type: T.Type) throws -> T {
        if let hooks, let value = try hooks.decode(type, from: node) { return value }
        return try decodeUnhooked(type)
    }

    /// Decodes the value here; scalars without a detour through a container.
    @inline(__always)
    func decodeUnhooked<T: Decodable>(_ type: T.Type) throws -> T {
        if let scalar = type as? any TapeScalar.Type, let value = try scalar.read(node) as? T { return value }
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
    let decoder: TapeDecoder

    private var object: JSONNode { decoder.node }
    var codingPath: [any CodingKey] { decoder.codingPath }

    var allKeys: [Key] {
        var keys: [Key] = []
        var seen = Set<String>()
        for member in object.members {
            let name = member.name
            if seen.insert(name).inserted, let key = Key(stringValue: name) { keys.append(key) }
        }
        return keys
    }

    func contains(_ key: Key) -> Bool { object.lastMember(named: key.stringValue) != nil }

    private func node(_ key: Key) throws -> JSONNode {
        if let node = object.lastMember(named: key.stringValue) { return node }
        throw JSONValueError(
            .missingMember, at: object, found: "no member \"\(key.stringValue)\"",
            expected: "a member \"\(key.stringValue)\"")
    }

    /// The value, or nil if it is absent or null.
    private func present(_ key: Key) -> JSONNode? {
        guard let node = object.lastMember(named: key.stringValue), !node.isNull else { return nil }
        return node
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
        try decoder.at(node(key)).decodeAny(type)
    }

    // One look-up instead of three where the value is optional.
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try present(key)?.bool() }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try present(key)?.string() }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try present(key)?.double() }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try present(key)?.integer() }
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        guard let node = present(key) else { return nil }
        return try decoder.at(node).decodeAny(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try decoder.at(node(key)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder.at(node(key)).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        guard let node = object.lastMember(named: "super") else {
            throw JSONValueError(
                .missingMember, at: object, found: "no member \"super\"", expected: "a member \"super\"")
        }
        return decoder.at(node)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { decoder.at(try node(key)) }
}

/// An array on the tape as an unkeyed container.
struct TapeArray: UnkeyedDecodingContainer {
    let decoder: TapeDecoder
    /// The tape index of the next element.
    private var next: Int
    private let end: Int
    private(set) var currentIndex = 0

    init(decoder: TapeDecoder) {
        self.decoder = decoder
        next = decoder.node.index + 1
        end = Int(decoder.node.tapeNode.next)
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { decoder.node.count }
    var isAtEnd: Bool { next >= end }

    private func node() throws -> JSONNode {
        if isAtEnd {
            throw JSONValueError(
                .missingElement, at: decoder.node, found: "\(currentIndex) elements", expected: "another element")
        }
        return JSONNode(document: decoder.node.document, index: next)
    }

    /// Moves on, only after a success: so a type may try several ways to read an element.
    private mutating func advance() {
        next = Int(decoder.node.document.node(next).next)
        currentIndex += 1
    }

    mutating func decodeNil() throws -> Bool {
        let isNull = try node().isNull
        if isNull { advance() }
        return isNull
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let value = try decoder.at(node()).decodeAny(type)
        advance()
        return value
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        let container = try decoder.at(node()).container(keyedBy: type)
        advance()
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try decoder.at(node()).unkeyedContainer()
        advance()
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = decoder.at(try node())
        advance()
        return decoder
    }
}

/// A type that is read from a node without a container.
protocol TapeScalar {
    static func read(_ node: JSONNode) throws -> Self
}

extension TapeScalar where Self: FixedWidthInteger {
    static func read(_ node: JSONNode) throws -> Self { try node.integer() }
}

extension Int: TapeScalar {}
extension Int8: TapeScalar {}
extension Int16: TapeScalar {}
extension Int32: TapeScalar {}
extension Int64: TapeScalar {}
extension UInt: TapeScalar {}
extension UInt8: TapeScalar {}
extension UInt16: TapeScalar {}
extension UInt32: TapeScalar {}
extension UInt64: TapeScalar {}
extension Int128: TapeScalar {}
extension UInt128: TapeScalar {}
extension Bool: TapeScalar { static func read(_ node: JSONNode) throws -> Bool { try node.bool() } }
extension String: TapeScalar { static func read(_ node: JSONNode) throws -> String { try node.string() } }
extension Double: TapeScalar { static func read(_ node: JSONNode) throws -> Double { try node.double() } }
extension Float: TapeScalar { static func read(_ node: JSONNode) throws -> Float { try node.float() } }

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
        if walked >= NameIndex.wide { _ = nameIndex(afterWalkOver: walked) }
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
