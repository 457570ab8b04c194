import LosslessJSON
import TestSupport
import Testing

@Suite struct CodingTests {
    private struct Server: Codable, Equatable {
        var port: Int
        var host: String
        var ratio: Double
        var isOn: Bool
        var proxy: String?
        var ports: [UInt16]
        var limits: [String: Int]
        var inner: Inner
        struct Inner: Codable, Equatable {
            var mode: Mode
            var tags: [[String]]
        }
        enum Mode: String, Codable { case fast, slow }
    }

    private let server = Server(
        port: 8080, host: "a \"b\"\n", ratio: 0.25, isOn: true, proxy: nil, ports: [1, 65_535], limits: ["x": -1],
        inner: .init(mode: .slow, tags: [["a"], []]))

    private func root(_ text: String) throws -> JSONNode {
        try #require(try JSONDocument(text: text, options: .settings).root)
    }

    private func encoded(_ value: some Encodable, hooks: (any JSONCodingHooks)? = nil) throws -> String {
        String(decoding: try JSONTextEncoder.encode(value, hooks: hooks), as: UTF8.self)
    }

    @Test func `a structure is written in its own order and read back equal`() throws {
        let text = try encoded(server)
        #expect(
            text == #"{"port": 8080, "host": "a \"b\"\n", "ratio": 0.25, "isOn": true, "ports": [1, 65535], "#
                + #""limits": {"x": -1}, "inner": {"mode": "slow", "tags": [["a"], []]}}"#)
        #expect(try root(text).decode(Server.self) == server)
    }

    @Test func `the last of a repeated member counts`() throws {
        #expect(try root(#"{"x": 1, "x": 2}"#).decode([String: Int].self) == ["x": 2])
    }

    @Test func `scalars, optionals and null stand at the root`() throws {
        #expect(try root("null").decode(Int?.self) == nil)
        #expect(try root("1").decode(Int?.self) == 1)
        #expect(try root("[1, null]").decode([Int?].self) == [1, nil])
        #expect(try encoded([1, nil] as [Int?]) == "[1, null]")
        #expect(try encoded(Int?.none) == "null")
        #expect(try encoded(5) == "5")
        #expect(try encoded(Int128.max) == "170141183460469231731687303715884105727")
    }

    @Test func `a decoding error says what, where and why`() throws {
        func failure(_ text: String) throws -> JSONValueError? {
            #expect(throws: JSONValueError.self) { try root(text).decode(Server.self) }
        }
        let whole = try encoded(server)
        #expect(try failure(whole.replacing("8080", with: "8080.5"))?.code == .notExact)
        #expect(try failure(whole.replacing("65535", with: "65536"))?.path == ["ports", 1])
        #expect(try failure(whole.replacing("65535", with: "65536"))?.code == .outOfRange)
        let missing = try failure(whole.replacing("\"port\"", with: "\"part\""))
        #expect(missing?.code == .missingMember)
        #expect(missing?.reason == #"found no member "port", expected a member "port""#)
        let corrupted = try failure(whole.replacing("slow", with: "idle"))
        #expect(corrupted?.code == .corrupted)
        #expect(corrupted?.path == ["inner", "mode"])
        #expect(try failure("[]")?.code == .typeMismatch)
    }

    @Test func `a decode past the end fails, and a failure leaves nothing behind`() throws {
        struct Three: Decodable {
            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                for _ in 0..<3 { _ = try container.decode(Int.self) }
            }
        }
        let node = try root("[1, 2]")
        let error = #expect(throws: JSONValueError.self) { try node.decode(Three.self) }
        #expect(error?.code == .missingElement)
        #expect(try node.decode([Int].self) == [1, 2])
    }

    private struct Flexible: Decodable, Equatable {
        var texts: [String] = []
        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            while !container.isAtEnd {
                if let number = try? container.decode(Int.self) {
                    texts.append("int \(number)")
                } else if try container.decodeNil() {
                    texts.append("null")
                } else {
                    texts.append("string \(try container.decode(String.self))")
                }
            }
        }
    }

    @Test func `a type may try several ways to read an element`() throws {
        #expect(try root(#"[1, "a", null, 2]"#).decode(Flexible.self).texts == ["int 1", "string a", "null", "int 2"])
    }

    private struct SideBySide: Encodable {
        enum Key: String, CodingKey { case first, second, third, list }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            var first = container.nestedContainer(keyedBy: Key.self, forKey: .first)
            var second = container.nestedContainer(keyedBy: Key.self, forKey: .second)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            try second.encode(2, forKey: .second)
            try list.encode("x")
            try first.encode(1, forKey: .first)
            var deep = second.nestedContainer(keyedBy: Key.self, forKey: .third)
            try container.encode(true, forKey: .third)
            try list.encode("y")
            try deep.encode(3, forKey: .first)
        }
    }

    @Test func `containers filled side by side give valid text`() throws {
        #expect(
            try encoded(SideBySide())
                == #"{"first": {"first": 1}, "second": {"second": 2, "third": {"first": 3}}, "list": ["x", "y"], "#
                + #""third": true}"#)
    }

    private class Base: Codable {
        var a = 1
        init() {}
    }
    private final class Derived: Base {
        var b = 2
        enum Key: String, CodingKey { case b }
        override init() { super.init() }
        required init(from decoder: any Decoder) throws {
            b = try decoder.container(keyedBy: Key.self).decode(Int.self, forKey: .b)
            try super.init(from: decoder)
        }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(b, forKey: .b)
            try super.encode(to: encoder)
        }
    }

    @Test func `a class and its superclass share an object`() throws {
        #expect(try encoded(Derived()) == #"{"b": 2, "a": 1}"#)
        let value = try root(#"{"b": 5, "a": 6}"#).decode(Derived.self)
        #expect(value.a == 6 && value.b == 5)
    }

    private struct Celsius: Codable, Equatable {
        var degrees: Int
    }
    private struct Room: Codable, Equatable {
        var now: Celsius
        var wanted: Celsius?
        var history: [Celsius]
    }
    private struct Degrees: JSONCodingHooks {
        func decode<T: Decodable>(_ type: T.Type, from node: JSONNode) throws -> T? {
            guard type == Celsius.self else { return nil }
            let text = try node.string()
            guard let degrees = Int(text.dropLast()) else {
                throw JSONValueError(.corrupted, at: node, found: "a string", expected: "degrees such as 20C")
            }
            return Celsius(degrees: degrees) as? T
        }
        func encode<T: Encodable>(_ value: T, to writer: inout JSONWriter) throws -> Bool {
            guard let value = value as? Celsius else { return false }
            writer.string("\(value.degrees)C")
            return true
        }
    }

    @Test func `hooks take over a type wherever it stands inside`() throws {
        let room = Room(now: .init(degrees: 20), wanted: .init(degrees: 22), history: [.init(degrees: 1)])
        let text = try encoded(room, hooks: Degrees())
        #expect(text == #"{"now": "20C", "wanted": "22C", "history": ["1C"]}"#)
        #expect(try root(text).decode(Room.self, hooks: Degrees()) == room)
        let error = #expect(throws: JSONValueError.self) {
            try root(text.replacing("1C", with: "warm")).decode(Room.self, hooks: Degrees())
        }
        #expect(error?.path == ["history", 0])
    }

    @Test func `numbers are written in the shortest way that reads back equal`() throws {
        func text(_ value: Double) throws -> String {
            var writer = JSONWriter()
            try writer.double(value)
            return String(decoding: writer.bytes, as: UTF8.self)
        }
        #expect(try text(8080) == "8080")
        #expect(try text(-0.0) == "-0")
        #expect(try text(0.1) == "0.1")
        #expect(try text(1e21) == "1e21")
        #expect(try text(1e-7) == "1e-7")
        #expect(try text(.leastNonzeroMagnitude) == "5e-324")
        #expect(try text(.greatestFiniteMagnitude) == "1.7976931348623157e308")
        #expect(try text(9_007_199_254_740_991) == "9007199254740991")
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<2_000 {
            let value = Double(bitPattern: generator.next())
            if !value.isFinite { continue }
            #expect(try root(text(value)).double().bitPattern == value.bitPattern, "\(value)")
            let small = Float(bitPattern: generator.next())
            if !small.isFinite { continue }
            var writer = JSONWriter()
            try writer.float(small)
            #expect(
                try root(String(decoding: writer.bytes, as: UTF8.self)).float().bitPattern == small.bitPattern,
                "\(small)")
        }
    }

    @Test func `NaN and infinities are refused on write`() throws {
        for value in [Double.nan, .infinity, -.infinity] {
            #expect(throws: JSONWriteError.notFinite) { try encoded([value]) }
            #expect(throws: JSONWriteError.notFinite) { try encoded([Float(value)]) }
        }
    }

    @Test func `control characters are escaped, and nothing that need not be`() throws {
        #expect(try encoded("\u{0}\u{8}\u{c}\u{1f}\"\\/é🌍\u{7f}") == #""\u0000\b\f\u001f\"\\/é🌍\#u{7f}""#)
    }
}
