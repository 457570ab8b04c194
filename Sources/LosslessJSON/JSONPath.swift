/// The way to a value: member names and array indices from the root.
///
/// A name is one step, whatever it contains; equality is by steps and bytes (no Unicode normalization, as in JSON).
package struct JSONPath: Hashable, Sendable, ExpressibleByArrayLiteral, CustomStringConvertible {
    /// One step down.
    package enum Step: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
        /// Into the member of that name.
        case name(String)
        /// To the element at that index, from 0.
        case index(Int)

        /// A name.
        package init(stringLiteral name: String) { self = .name(name) }
        /// An index.
        package init(integerLiteral index: Int) { self = .index(index) }
    }

    /// The range of a step in `joined`; an index step has an empty range.
    struct Segment: Hashable, Sendable {
        var start: Int
        var end: Int
        /// The array index, or -1 for a name.
        var index: Int
        var isName: Bool { index < 0 }
    }

    /// The bytes of all names, a dot between two steps: so the dotted form of any run of names is a slice.
    private(set) var joined: [UInt8] = []
    private(set) var segments: [Segment] = []

    /// The path of the root.
    package init() {}

    /// A path of steps.
    package init(_ steps: some Sequence<Step>) {
        for step in steps { append(step) }
    }

    /// A path of names.
    package init(names: some Sequence<some StringProtocol>) {
        for name in names { append(.name(String(name))) }
    }

    /// A path of steps.
    package init(arrayLiteral steps: Step...) { self.init(steps) }

    /// Adds a step at the end. A negative index is no index of anything and matches nothing.
    package mutating func append(_ step: Step) {
        if !segments.isEmpty { joined.append(0x2E) }
        let start = joined.count
        switch step {
        case .name(let name):
            joined.append(contentsOf: name.utf8)
            segments.append(Segment(start: start, end: joined.count, index: -1))
        case .index(let index):
            segments.append(Segment(start: start, end: start, index: index < 0 ? Int.max : index))
        }
    }

    /// This path and one step more.
    package func appending(_ step: Step) -> JSONPath {
        var path = self
        path.append(step)
        return path
    }

    /// How many steps there are.
    package var count: Int { segments.count }
    /// Whether this is the path of the root.
    package var isEmpty: Bool { segments.isEmpty }

    /// The steps from the root.
    package var steps: [Step] { segments.indices.map { step($0) } }

    func step(_ position: Int) -> Step {
        let segment = segments[position]
        return segment.isName
            ? .name(String(decoding: joined[segment.start..<segment.end], as: UTF8.self)) : .index(segment.index)
    }

    /// The dotted form: "server.ports[0]"; the root is "(root)".
    package var description: String {
        var text = ""
        for (position, step) in steps.enumerated() {
            switch step {
            case .name(let name): text += position == 0 ? name : "." + name
            case .index(let index): text += "[\(index)]"
            }
        }
        return segments.isEmpty ? "(root)" : text
    }
}
