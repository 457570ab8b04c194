import FoundationEssentials
import Testing

@testable import Rheostat

/// When two values are no change: `==`, but floating point numbers at any depth by their bits.
@Suite struct SamenessTests {
    struct Point: Codable, Hashable, SettingValue {
        var x: Double
        var y: Float = 0
        var tags: [String] = []
        var others: [String: [Double?]] = [:]
    }

    struct Ratio: RawRepresentable, Hashable, SettingValue { var rawValue: Double }
    struct CodedRatio: RawRepresentable, Codable, Hashable, SettingValue { var rawValue: Double }

    struct Shape: Codable, SettingValue {
        var points: [Point]
        var named: [String: Point] = [:]
        var set: Set<Double> = []
        var at = Date(timeIntervalSinceReferenceDate: 0)
        var ratio = CodedRatio(rawValue: 0)
    }

    func expect<Value: SettingValue>(
        _ one: Value, _ other: Value, areSame: Bool, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(one.isSame(as: other) == areSame, sourceLocation: sourceLocation)
        #expect(other.isSame(as: one) == areSame, sourceLocation: sourceLocation)
    }

    @Test func `numbers are the same by their bits`() {
        expect(0.0, -0.0, areSame: false)
        expect(Double.nan, .nan, areSame: true)
        expect(Double.nan, Double(nan: 1, signaling: false), areSame: false)
        expect(Float(0), -0.0, areSame: false)
        expect([0.0], [-0.0], areSame: false)
        expect([Double.nan], [.nan], areSame: true)
        expect(["a": Double?.some(.nan)], ["a": .nan], areSame: true)
        expect(["a": Double?.some(0)], ["a": -0.0], areSame: false)
        expect(Set([0.0]), [-0.0], areSame: false)
    }

    @Test func `numbers inside a Codable value are the same by their bits`() {
        expect(Point(x: 0), Point(x: 0), areSame: true)
        expect(Point(x: 0), Point(x: -0.0), areSame: false)
        expect(Point(x: 1, y: 0), Point(x: 1, y: -0.0), areSame: false)
        expect(Point(x: 1, others: ["a": [0, nil]]), Point(x: 1, others: ["a": [-0.0, nil]]), areSame: false)
        expect(Shape(points: [Point(x: 0)]), Shape(points: [Point(x: -0.0)]), areSame: false)
        expect(
            Shape(points: [], named: ["a": Point(x: 0)]), Shape(points: [], named: ["a": Point(x: -0.0)]),
            areSame: false)
        expect(Shape(points: [], set: [0, 1, 2, 3]), Shape(points: [], set: [3, 2, 1, 0]), areSame: true)
        expect(Shape(points: [], set: [0, 1]), Shape(points: [], set: [1, -0.0]), areSame: false)
        expect(
            Shape(points: [], ratio: CodedRatio(rawValue: 0)), Shape(points: [], ratio: CodedRatio(rawValue: -0.0)),
            areSame: false)
    }

    @Test func `a NaN inside a Codable value is the same as itself, and hides no other difference`() {
        expect(Point(x: .nan), Point(x: .nan), areSame: true)
        expect(Point(x: .nan), Point(x: 1), areSame: false)
        expect(Point(x: .nan, tags: ["a"]), Point(x: .nan, tags: ["b"]), areSame: false)
        expect(Point(x: .nan, tags: ["a", "b"]), Point(x: .nan, tags: ["ab"]), areSame: false)
        expect(Point(x: .nan, others: ["a": [nil]]), Point(x: .nan, others: ["a": []]), areSame: false)
        expect(Point(x: .nan, y: 0), Point(x: .nan, y: -0.0), areSame: false)
        expect(
            Shape(points: [Point(x: .nan), Point(x: 1)]), Shape(points: [Point(x: 1), Point(x: .nan)]), areSame: false)
        let shape = Shape(points: [Point(x: .nan)], named: ["a": Point(x: .nan)], set: [1, 2])
        expect(shape, shape, areSame: true)
    }

    @Test func `an instant has no sign of zero`() {
        let zero = Date(timeIntervalSinceReferenceDate: 0)
        let minus = Date(timeIntervalSinceReferenceDate: -0.0)
        expect(zero, minus, areSame: true)
        expect(Shape(points: [], at: zero), Shape(points: [], at: minus), areSame: true)
        let never = Date(timeIntervalSinceReferenceDate: .nan)
        expect(never, never, areSame: true)
        expect(Shape(points: [], at: never), Shape(points: [], at: never), areSame: true)
        expect(Shape(points: [], at: never), Shape(points: [], at: zero), areSame: false)
    }

    @Test func `raw-valued types are the same by the bits of their raw values`() {
        expect(Ratio(rawValue: .nan), Ratio(rawValue: .nan), areSame: true)
        expect(Ratio(rawValue: 0), Ratio(rawValue: -0.0), areSame: false)
        expect(CodedRatio(rawValue: .nan), CodedRatio(rawValue: .nan), areSame: true)
        expect(CodedRatio(rawValue: 0), CodedRatio(rawValue: -0.0), areSame: false)
        expect(CodedRatio(rawValue: 1), CodedRatio(rawValue: 2), areSame: false)
    }

    /// `==` is the type's own.
    struct Name: RawRepresentable, SettingValue {
        var rawValue: String
        static func == (one: Name, other: Name) -> Bool { one.rawValue.lowercased() == other.rawValue.lowercased() }
    }

    struct CodedName: Codable, SettingValue {
        var text: String
        static func == (one: CodedName, other: CodedName) -> Bool { one.text.lowercased() == other.text.lowercased() }
    }

    @Test func `a type's own equality decides where no numbers are concerned`() {
        expect(Name(rawValue: "a"), Name(rawValue: "A"), areSame: true)
        expect(Name(rawValue: "a"), Name(rawValue: "b"), areSame: false)
        expect(CodedName(text: "a"), CodedName(text: "A"), areSame: true)
        expect(CodedName(text: "a"), CodedName(text: "b"), areSame: false)
    }

    /// Uses every way to encode.
    final class Base: Codable, SettingValue {
        let number: Double
        init(_ number: Double) { self.number = number }
        init(from decoder: any Decoder) throws { number = 0 }
        func encode(to encoder: any Encoder) throws {
            struct Key: CodingKey, ExpressibleByStringLiteral {
                var stringValue: String
                var intValue: Int? { nil }
                init(stringLiteral value: String) { stringValue = value }
                init?(stringValue: String) { self.stringValue = stringValue }
                init?(intValue: Int) { nil }
            }
            var object = encoder.container(keyedBy: Key.self)
            try object.encodeNil(forKey: "nil")
            var inner = object.nestedContainer(keyedBy: Key.self, forKey: "inner")
            try inner.encode(Int8(1), forKey: "small")
            var list = inner.nestedUnkeyedContainer(forKey: "list")
            try list.encode(true)
            try list.encode(UInt64.max)
            try list.encodeNil()
            var listed = list.nestedUnkeyedContainer()
            try listed.encode("text")
            var nested = list.nestedContainer(keyedBy: Key.self)
            try number.encode(to: nested.superEncoder())
            try number.encode(to: list.superEncoder())
            #expect(list.count == 6)
        }
        static func == (one: Base, other: Base) -> Bool { one.number == other.number }
    }

    @Test func `every way to encode is followed`() {
        expect(Base(0), Base(0), areSame: true)
        expect(Base(0), Base(-0.0), areSame: false)
        expect(Base(.nan), Base(.nan), areSame: true)
        expect(Base(.nan), Base(1), areSame: false)
    }

    @Test func `a change of the sign of zero in the file is an event, another spelling is none`() async throws {
        let key = SettingKey("point", default: Point(x: 1))
        let backend = MemoryBackend(#"{"point": {"x": 0, "y": 0, "tags": [], "others": {}}}"#)
        let settings = try await SettingsStore.open(.backend(backend), keys: [key])
        let revision = settings.revision
        try await settings.set(key, to: Point(x: 0))
        #expect(settings.revision == revision)
        try await settings.set(key, to: Point(x: -0.0))
        #expect(settings.revision > revision)
        #expect(settings[key].x.sign == .minus)
    }
}
