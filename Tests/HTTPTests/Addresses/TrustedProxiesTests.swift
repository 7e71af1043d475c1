import HTTP
import Testing

/// The address of a client behind proxies.
@Suite struct TrustedProxiesTests {
    private let proxies = TrustedProxies(["10.0.0.0/8", "fd00::/8"].compactMap(AddressRange.init))

    private func client(_ fields: String, from peer: String = "10.0.0.1") throws -> String {
        let address = try #require(IPAddress(peer))
        return proxies.client(behind: address, try head("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n").fields)
            .description
    }

    @Test(arguments: [
        ("", "10.0.0.1"), ("192.0.2.1", "192.0.2.1"), ("198.51.100.9, 192.0.2.1", "192.0.2.1"),
        // Hops count from the right, as long as they are trusted.
        ("198.51.100.9, 192.0.2.1, 10.0.0.2, fd00::3", "192.0.2.1"), ("10.0.0.3, 10.0.0.2", "10.0.0.3"),
        ("\t192.0.2.1 ,, 10.0.0.2 ,", "192.0.2.1"), ("192.0.2.1:1234", "192.0.2.1"), ("2001:db8::1", "2001:db8::1"),
        ("[2001:db8::1]", "2001:db8::1"), ("[2001:db8::1]:443", "2001:db8::1"), ("::ffff:192.0.2.1", "192.0.2.1"),
        // A value that is no address ends the search at the proxy that sent it.
        ("unknown", "10.0.0.1"), ("192.0.2.1, unknown", "10.0.0.1"), ("192.0.2.1, _hidden, 10.0.0.2", "10.0.0.2"),
        ("192.0.2.1:", "10.0.0.1"), ("192.0.2.1:123456", "10.0.0.1"), ("192.0.2.1:-1", "10.0.0.1"),
        ("[192.0.2.1]", "10.0.0.1"), ("[2001:db8::1", "10.0.0.1"), ("2001:db8::1]:1", "10.0.0.1"), ("[]:1", "10.0.0.1"),
        ("\"192.0.2.1\"", "10.0.0.1"), ("for=192.0.2.1", "10.0.0.1"), ("192.0.2.1 192.0.2.2", "10.0.0.1"),
    ])
    func xForwardedForCountsFromTheRight(value: String, expected: String) throws {
        #expect(try client("X-Forwarded-For: \(value)\r\n") == expected)
        #expect(try client("X-Forwarded-For: \(value)\r\n", from: "192.0.2.99") == "192.0.2.99")
    }

    @Test(arguments: [
        ("for=192.0.2.1", "192.0.2.1"), ("For=192.0.2.1;proto=https;by=10.0.0.1", "192.0.2.1"),
        ("for=198.51.100.9, for=192.0.2.1, for=10.0.0.2", "192.0.2.1"), ("for=\"192.0.2.1:47011\"", "192.0.2.1"),
        ("for=\"[2001:db8:cafe::17]:4711\"", "2001:db8:cafe::17"), ("for=\"[2001:db8::1]\" ; by=x", "2001:db8::1"),
        ("by=x; for=192.0.2.1;", "192.0.2.1"), (";for=192.0.2.1", "192.0.2.1"), ("for=\"192.0.2.\\1\"", "192.0.2.1"),
        ("for=unknown", "10.0.0.1"), ("for=_hidden, for=10.0.0.2", "10.0.0.2"), ("proto=https", "10.0.0.1"),
        ("for=192.0.2.1, proto=https", "10.0.0.1"), ("for=192.0.2.1;for=192.0.2.2", "10.0.0.1"),
        // A malformed element makes the ends of all others uncertain.
        ("for=\", for=192.0.2.1", "10.0.0.1"), ("for=, for=192.0.2.1", "10.0.0.1"), ("192.0.2.1", "10.0.0.1"),
        ("for=192.0.2.1 for=192.0.2.2", "10.0.0.1"), ("for=\"x\"y, for=192.0.2.1", "10.0.0.1"),
        ("for=[2001:db8::1]", "10.0.0.1"),
    ])
    func forwardedCountsFromTheRight(value: String, expected: String) throws {
        #expect(try client("Forwarded: \(value)\r\n") == expected)
        #expect(try client("Forwarded: \(value)\r\n", from: "192.0.2.99") == "192.0.2.99")
    }

    @Test func severalLinesAreOneList() throws {
        #expect(try client("X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-For: 10.0.0.2\r\n") == "192.0.2.1")
        #expect(try client("Forwarded: for=\"\r\nForwarded: for=192.0.2.1\r\n") == "192.0.2.1")
        #expect(try client("Forwarded: for=\"\r\nForwarded: for=10.0.0.2\r\n") == "10.0.0.2")
    }

    /// A proxy passes the field that it does not write on as the client sent it.
    @Test func twoFieldsMustAgree() throws {
        #expect(try client("X-Forwarded-For: 192.0.2.1\r\nForwarded: for=192.0.2.1\r\n") == "192.0.2.1")
        #expect(try client("X-Forwarded-For: 192.0.2.1\r\nForwarded: for=192.0.2.2\r\n") == "10.0.0.1")
        #expect(try client("X-Forwarded-For: 192.0.2.1\r\nForwarded: \"\r\n") == "10.0.0.1")
        #expect(try client("X-Forwarded-For: 192.0.2.1\r\nForwarded: proto=https\r\n") == "192.0.2.1")
    }

    @Test func aStatementOfAStrangerDoesNotCount() throws {
        let fields = try head(
            "GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-Host: forged, example.org\r\nX-Forwarded-Proto: HTTPS\r\n\r\n"
        ).fields
        let proxy = try #require(IPAddress("10.0.0.1"))
        let statement = try #require(proxies.statement(of: proxy, fields))
        #expect(statement.host == "example.org" && statement.scheme == "https")
        #expect(proxies.statement(of: try #require(IPAddress("192.0.2.1")), fields) == nil)
        let forwarded = try head(
            "GET / HTTP/1.1\r\nHost: a\r\nForwarded: for=192.0.2.1;host=\"example.org:8080\", for=10.0.0.2;proto=http\r\n\r\n"
        ).fields
        let other = try #require(proxies.statement(of: proxy, forwarded))
        #expect(other.host == "example.org:8080" && other.scheme == "http")
    }

    /// A proxy that appends passes on the values that the client has sent, so the value counts that belongs to the
    /// client's address.
    @Test(arguments: [
        ("X-Forwarded-Host: forged\r\nX-Forwarded-Host: site", "site"),
        ("X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Host: forged, site", "site"),
        ("X-Forwarded-For: 9.9.9.9, 192.0.2.1, 10.0.0.2\r\nX-Forwarded-Host: forged, site, inner", "site"),
        ("X-Forwarded-For: 9.9.9.9, 192.0.2.1, 10.0.0.2\r\nX-Forwarded-Host: site", "site"),
        ("Forwarded: for=9.9.9.9;host=forged, for=192.0.2.1;host=site", "site"),
        ("Forwarded: for=9.9.9.9;host=forged, for=192.0.2.1;host=site, for=10.0.0.2;host=inner", "site"),
        ("Forwarded: for=9.9.9.9;host=forged, for=192.0.2.1", nil),
    ])
    func theHostCountsFromTheRight(_ lines: String, _ host: String?) throws {
        let fields = try head("GET / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n\r\n").fields
        let proxy = try #require(IPAddress("10.0.0.1"))
        #expect(proxies.statement(of: proxy, fields)?.host == host)
    }
}
