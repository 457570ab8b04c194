import FoundationEssentials
import Rheostat
import Testing

/// Data, UUIDs and URLs: values that are a string in the text.
@Suite struct TextValueTests {
    // MARK: Data

    // The test vectors of RFC 4648, section 10, and the two characters that the URL alphabet replaces.
    @Test(arguments: [
        ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"), ("Zm9vYmE=", "fooba"),
        ("Zm9vYmFy", "foobar"), ("Pz8/Pj4+", "???>>>"),
    ])
    func `data is base64 as RFC 4648 has it`(text: String, bytes: String) throws {
        let data = Data(bytes.utf8)
        #expect(try value(Data.self, of: quoted(text)) == data)
        #expect(try value(Data.self, of: stored(data)) == data)
        #expect(try value(String.self, of: stored(data)) == text)
    }

    @Test(arguments: [
        "Zg", "Zg=", "Zm8", "Zg===", "Z", "=", "====", "Zh==", "Zm9=", " Zg==", "Zg== ", "Zg==\\n", "Zm9v\\nYmFy",
        "Zm 9v",
        "Pz8_Pj4-", "Zm9v*", "Zg==Zg==", "Zé==", "\u{212A}m9v",
    ])
    func `data that is padded badly, spaced, of another alphabet or not canonical is refused`(text: String) throws {
        let message = try refusal(of: quoted(text), as: Data.self)
        #expect(
            message
                == "expected base64 with padding and without spaces (RFC 4648, section 4), found the string \"\(text)\""
        )
    }

    @Test func `data of every length comes back`() throws {
        let seed = UInt64.random(in: 0...(.max))
        var generator = SeededGenerator(seed: seed)
        for count in 0..<1_000 {
            let data = Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
            #expect(try value(Data.self, of: stored(data)) == data, "seed \(seed), \(count) bytes")
        }
    }

    // MARK: UUID

    @Test func `a UUID is read in either case and written canonically`() throws {
        let text = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"
        let uuid = try #require(UUID(uuidString: text))
        #expect(try value(UUID.self, of: quoted(text)) == uuid)
        #expect(try value(UUID.self, of: quoted(text.uppercased())) == uuid)
        #expect(try value(UUID.self, of: quoted("F81d4fae-7DEC-11d0-A765-00a0c91e6BF6")) == uuid)
        #expect(try stored(uuid) == quoted(text))
    }

    @Test(arguments: [
        "", "f81d4fae", "f81d4fae7dec11d0a76500a0c91e6bf6", "{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}",
        "f81d4fae-7dec-11d0-a765-00a0c91e6bf6 ", "f81d4fae-7dec-11d0-a765-00a0c91e6bfg",
        "f81d4fae-7dec-11d0-a76500-a0c91e6bf6", "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
        "f81d4fae-7dec-11d0-a765-00a0c91e6bfé", "f81d4fae_7dec_11d0_a765_00a0c91e6bf6",
        "f81d4fae-7dec-11d0-a765-00a0c91e6b@6",
    ])
    func `no UUID is refused`(text: String) throws {
        #expect(
            try refusal(of: quoted(text), as: UUID.self)
                == "expected a UUID such as \"f81d4fae-7dec-11d0-a765-00a0c91e6bf6\", found the string \"\(text)\"")
    }

    @Test func `UUIDs come back`() throws {
        for _ in 0..<1_000 {
            let uuid = UUID()
            #expect(try value(UUID.self, of: stored(uuid)) == uuid)
        }
    }

    // MARK: URL

    @Test(arguments: [
        "https://example.com", "https://example.com/", "https://user@example.com:8443/a/b?c=d&e#f",
        "HTTP://EXAMPLE.com",
        "http://[::1]:80/", "https://x/a%20b", "https://x/%c3%bc", "mailto:a@b.c", "file:///etc/service.json",
        "file:///etc/dir/", "unix:/run/x.sock", "urn:isbn:0451450523", "data:,x", "//host/path", "/login",
        "docs/index.html", "../up", "?q=1", "#top", "http://x/a/../b", "localhost:8080", "http://x:99999/",
    ])
    func `a URL of each kind comes back as it is spelled`(text: String) throws {
        let url: URL = try value(of: quoted(text))
        #expect(url.absoluteString == text)
        #expect(try value(String.self, of: stored(url)) == text)
        #expect(try value(URL.self, of: stored(url)) == url)
    }

    @Test(arguments: [
        "", " ", "http://a b", "https://x/ü", "https://bücher.example/", "https://x/%zz", "https://x/100%",
        "http://x/a|b",
        "http://x/{id}", "http://x:port/", " https://x", "https://x ", "https://x/\\u0000", "http://x/<y>",
    ])
    func `a URL that the parser would rewrite is refused`(text: String) throws {
        #expect(
            try refusal(of: quoted(text), as: URL.self)
                == "expected a URL that needs no percent-encoding (RFC 3986), found the string \"\(text)\"")
    }

    @Test func `a URL with a base is stored as the absolute one, and that is the value taken`() async throws {
        let base = try #require(URL(string: "https://example.com/a/"))
        let relative = try #require(URL(string: "b?c", relativeTo: base))
        let absolute = try #require(URL(string: "https://example.com/a/b?c"))
        #expect(relative != absolute)
        let key = SettingKey<URL?>("home")
        let settings = try await SettingsStore.inMemory(keys: [key])
        try await settings.set(key, to: relative)
        #expect(settings[key] == absolute)
        #expect(try settings.raw.value(of: "home")?.string == "https://example.com/a/b?c")
    }
}
