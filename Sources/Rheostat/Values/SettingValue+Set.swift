extension Set: SettingValue where Element: SettingValue {
    /// A JSON array in any order. An element that stands there twice is refused, as is one that does not fit.
    public static func read(from reader: SettingReader) throws -> Set<Element> {
        var result: Set<Element> = []
        for (index, part) in try reader.elements().enumerated() {
            let element = try part.read(Element.self, inside: "[\(index)]")
            guard result.insert(element).inserted else {
                throw part.refusal("an element that stands there once").inside("[\(index)]")
            }
        }
        return result
    }

    /// A JSON array, ordered by `<` if the elements have it and by their text otherwise, so that equal sets give equal
    /// text.
    public func write(to writer: inout SettingWriter) throws {
        try writer.array { writer in
            for element in try ordered() { try element.write(to: &writer) }
        }
    }

    /// The same elements.
    public func isSame(as other: Set<Element>) -> Bool {
        count == other.count
            && allSatisfy { element in other.firstIndex(of: element).map { other[$0].isSame(as: element) } ?? false }
    }

    private func ordered() throws -> [Element] {
        if let type = Element.self as? any Comparable.Type, let sorted = sorted(as: type) { return sorted }
        return try map { (element: $0, text: try $0.jsonText()) }
            .sorted { $0.text.lexicographicallyPrecedes($1.text) }
            .map(\.element)
    }

    private func sorted<Ordered: Comparable>(as type: Ordered.Type) -> [Element]? {
        (compactMap { $0 as? Ordered }).sorted() as? [Element]
    }
}
