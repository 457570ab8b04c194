import LosslessJSON
import Testing

@Suite struct ValueTests {
    private func node(_ text: String) throws -> JSONNode {
        try #require(try JSONDocument(text: text, options: .strict).root)
    }

    private func code(_ body: () throws -> some Any) -> JSONValueError.Code? {
        do {
            _ = try body()
            return nil
        } catch {
            return (error as? JSONValueError)?.code
        }
    }

    @Test func `integers are exact in every spelling or refused`() throws {
        #expect(try node("8080.0").integer(as: Int.self) == 8080)
        #expect(try node("1e2").integer(as: UInt8.self) == 100)
        #expect(try node("100e-2").integer(as: Int.self) == 1)
        #expect(try node("-0").integer(as: Int.self) == 0)
        #expect(try node("0e1").integer(as: Int.self) == 0)
        #expect(try node("-9223372036854775808").integer(as: Int64.self) == .min)
        #expect(try node("9223372036854775807").integer(as: Int64.self) == .max)
        #expect(try node("18446744073709551615").integer(as: UInt64.self) == .max)
        #expect(try node("170141183460469231731687303715884105727").integer(as: Int128.self) == .max)
        #expect(try node("-128").integer(as: Int8.self) == -128)
        #expect(code { try node("128").integer(as: Int8.self) } == .outOfRange)
        #expect(code { try node("-1").integer(as: UInt.self) } == .outOfRange)
        #expect(code { try node("18446744073709551616").integer(as: UInt64.self) } == .outOfRange)
        #expect(code { try node("9223372036854775808").integer(as: Int64.self) } == .outOfRange)
        #expect(code { try node("92233720368547758423").integer(as: Int.self) } == .outOfRange)
        #expect(code { try node("1e999999999999999999999").integer(as: Int.self) } == .outOfRange)
        #expect(code { try node("1.5").integer(as: Int.self) } == .notExact)
        #expect(code { try node("1e-999999999999999999999").integer(as: Int.self) } == .notExact)
        #expect(code { try node("1000000000.000000001").integer(as: Int.self) } == .notExact)
        #expect(code { try node("true").integer(as: Int.self) } == .typeMismatch)
        #expect(code { try node("\"1\"").integer(as: Int.self) } == .typeMismatch)
    }

    @Test func `doubles are correctly rounded, and silent rounding of integers is refused`() throws {
        for text in [
            "0.1", "1.0e-308", "0.1e-308", "5e-324", "1.7976931348623157e308", "2.2250738585072011e-308", "123.456",
            "1000000000.000000001", "9007199254740993.0", "1e23", "8.5e22", "-0.5", "1E5", "9007199254740992", "1e22",
            "3.141592653589793238462643383279", "100e200",
        ] {
            #expect(try node(text).double().bitPattern == Double(text)?.bitPattern, "\(text)")
        }
        #expect(try node("-0").double().sign == .minus)
        #expect(try node("0e1").double() == 0)
        #expect(try node("0e999999999").double() == 0)
        #expect(code { try node("9007199254740993").double() } == .notExact)
        #expect(code { try node("16777217").float() } == .notExact)
        #expect(code { try node("1e999").double() } == .outOfRange)
        #expect(code { try node("1e39").float() } == .outOfRange)
        #expect(code { try node("1e-400").double() } == .outOfRange)
        #expect(code { try node("1" + String(repeating: "0", count: 400)).double() } == .outOfRange)
        #expect(code { try node("1" + String(repeating: "0", count: 50)).double() } == .notExact)
        #expect(try node("1" + String(repeating: "0", count: 22)).double() == 1e22)
        // 2^200, exactly.
        #expect(
            try node("1606938044258990275541962092341162602522202993782792835301376").double()
                == 1_606_938_044_258_990_275_541_962_092_341_162_602_522_202_993_782_792_835_301_376)
        #expect(try node("0.1").float() == 0.1)
        #expect(try node("3.4028235e38").float() == .greatestFiniteMagnitude)
    }

    @Test func `strings are exact, and half a surrogate pair is an error when read`() throws {
        #expect(try node(#""a\"\\\/\b\f\n\r\t\u00e9\u2019ü🌍""#).string() == "a\"\\/\u{8}\u{c}\n\r\té’ü🌍")
        #expect(try node(#""\ud83c\udf0d""#).string() == "🌍")
        #expect(code { try node(#""\uDC00""#).string() } == .loneSurrogate)
        #expect(code { try node(#""\ud83c""#).string() } == .loneSurrogate)
        #expect(code { try node(#""\ud83c\u0041""#).string() } == .loneSurrogate)
        #expect(code { try node("1").string() } == .typeMismatch)
    }

    @Test func `an error names place and path`() throws {
        let document = try JSONDocument(text: "{\"server\": {\n  \"ports\": [1, 2.5]}}", options: .strict)
        let value = try #require(document.value(at: ["server", "ports", 1]))
        let error = #expect(throws: JSONValueError.self) { try value.integer(as: Int.self) }
        #expect(error?.place == JSONPlace(offset: 28, line: 2, column: 16))
        #expect(error?.path == ["server", "ports", 1])
        #expect(
            error?.description
                == "line 2, column 16: found a number with a fraction, expected an integer (at server.ports[1])")
    }

    @Test func `equivalence is of values, not of spellings`() throws {
        func areEqual(_ a: String, _ b: String) throws -> Bool { try node(a).isEquivalent(to: node(b)) }
        #expect(try areEqual("1.0", "1"))
        #expect(try areEqual("1e2", "100"))
        #expect(try areEqual("0.10", "1e-1"))
        #expect(try areEqual(#""\u0061""#, #""a""#))
        #expect(try areEqual(#"{"a": 1, "b": 2}"#, #"{"b":2,"a":1}"#))
        #expect(try areEqual(#"{"a": 1, "a": 2}"#, #"{"a": 2}"#))
        #expect(try areEqual(#"{"a": 1, "a": 2}"#, #"{"a": 3, "a": 2}"#))
        #expect(try !areEqual(#"{"a": 2, "a": 1}"#, #"{"a": 2}"#))
        #expect(try !areEqual("9007199254740993", "9007199254740992"))
        #expect(try !areEqual("0", "-0"))
        #expect(try !areEqual("1", "\"1\""))
        #expect(try !areEqual("[1, 2]", "[2, 1]"))
        #expect(try !areEqual("[1, 2]", "[1]"))
        #expect(try !areEqual("1e99999999999999999999", "1e99999999999999999998"))
    }
}
