import HTTP
import Testing

/// Origins, and the hosts that requests name.
@Suite struct WebOriginTests {
    @Test(arguments: [
        ("http://example.org", "http://example.org:80"), ("https://example.org:443", "https://example.org"),
        ("http://[::1]:8080", "http://[0:0:0:0:0:0:0:1]:8080"),
    ])
    func equalOriginsAreRecognized(one: String, other: String) throws {
        let origin = try #require(WebOrigin(one))
        #expect(origin == WebOrigin(other))
    }

    @Test(arguments: [
        ("http://example.org", "https://example.org"), ("http://example.org", "http://example.org:443"),
        ("http://example.org", "http://example.org.evil.net"), ("http://localhost", "http://127.0.0.1"),
        ("http://[::1]", "http://[::ffff:127.0.0.1]"), ("http://localhost.", "http://localhost"),
    ])
    func otherOriginsDiffer(one: String, other: String) throws {
        let origins = try [#require(WebOrigin(one)), #require(WebOrigin(other))]
        #expect(origins[0] != origins[1])
    }

    @Test(arguments: [
        "null", "", "http://", "example.org", "http://a b", "http://a, http://b", "http://a http://b", "http://a/",
        "http://a?b", "http://u@a", "http://a:", "http://a:0", "http://a:65536", "http://[::1", "http://[1]", "//a",
        "http:a",
        // Browsers write lower case.
        "http://é.example", "HTTP://example.org", "http://Example.org", "http://[::A]", "http://a..",
    ])
    func anyOtherTextIsNoOrigin(text: String) { #expect(WebOrigin(text) == nil) }

    @Test func anAuthorityMayHaveAnEmptyPort() {
        #expect(WebOrigin(scheme: "http", authority: "a:") == WebOrigin("http://a"))
    }

    @Test func aClientMayAskForAHostInAnyCase() {
        #expect(WebOrigin(scheme: "http", authority: "A.Example:80") == WebOrigin("http://a.example"))
        #expect(WebOrigin(scheme: "http", authority: "A.Example.") == WebOrigin("http://a.example."))
    }

    private static let loopback = AllowedHosts(["localhost", "127.0.0.1", "::1"], isForNetworks: true)
    private let peer = IPAddress(ipv4: 0x7F00_0001)

    @Test(arguments: [
        "localhost", "LocalHost", "localhost.", "localhost:80", "localhost:", "localhost:0", "LOCALHOST.:0",
        "127.0.0.1:65535", "[::1]", "[::1]:8080",
        "[0:0:0:0:0:0:0:1]:1",
    ])
    func anAllowedHostMayHaveAnyPort(host: String) throws {
        #expect(Self.loopback.allows(try head("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n"), from: peer))
        #expect(
            Self.loopback.allows(try head("GET http://\(host)/ HTTP/1.1\r\nHost: evil.example\r\n\r\n"), from: peer))
    }

    @Test(arguments: [
        "evil.example", "localhost.evil.example", "evil.localhost", "localhost1", "xlocalhost", "127.0.0.2", "127.1",
        "0.0.0.0", "[::]", "[::2]", "[::ffff:127.0.0.1]", "local%68ost", "localhost..",
    ])
    func anotherHostIsNotAllowed(host: String) throws {
        #expect(!Self.loopback.allows(try head("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n"), from: peer))
        // The target wins over the Host field (RFC 9112, section 3.2.2).
        #expect(!Self.loopback.allows(try head("GET http://\(host)/ HTTP/1.1\r\nHost: localhost\r\n\r\n"), from: peer))
        #expect(AllowedHosts.all.allows(try head("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n"), from: peer))
        #expect(AllowedHosts(["*"]).allows(try head("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n"), from: peer))
    }

    @Test func onlyHTTP10MayNameNoHost() throws {
        #expect(Self.loopback.allows(try head("GET / HTTP/1.0\r\n\r\n"), from: peer))
        #expect(!Self.loopback.allows(try head("GET / HTTP/1.0\r\nHost: evil.example\r\n\r\n"), from: peer))
    }

    @Test(arguments: ["Example.org", "example.org.", "EXAMPLE.ORG"])
    func aConfiguredNameIsComparedWithoutCase(name: String) throws {
        #expect(AllowedHosts([name]).allows(try head("GET / HTTP/1.1\r\nHost: example.org:8080\r\n\r\n"), from: peer))
    }

    /// No page of a browser reaches a Unix socket, so a proxy may pass on the name of its site.
    @Test func aClientOfAUnixSocketMayNameAnyHostUnlessTheyAreConfigured() throws {
        let head = try head("GET / HTTP/1.1\r\nHost: site.example\r\n\r\n")
        #expect(Self.loopback.allows(head, from: .unixSocket))
        #expect(!AllowedHosts(["localhost"]).allows(head, from: .unixSocket))
    }
}
