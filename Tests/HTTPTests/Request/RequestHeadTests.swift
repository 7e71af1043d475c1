import HTTP
import Testing

struct RequestHeadTests {
    @Test(arguments: [
        ("/", [""]), ("/a/b", ["a", "b"]), ("/a/", ["a", ""]), ("//a", ["", "a"]), ("/a%2Fb/c", ["a/b", "c"]),
        ("/%C3%A9?x/y", ["é"]), ("http://h", [""]), ("http://h/a", ["a"]), ("http://h?x", [""]),
        ("/a/bc//d/e/f?g", ["a", "bc", "", "d", "e", "f"]), ("/a/b/c/d/e%2Ff/g", ["a", "b", "c", "d", "e/f", "g"]),
    ])
    func pathIsCutBeforeItIsDecoded(target: String, segments: [String]) throws {
        let head = try head("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(head.path.map(\.string) == segments)
    }

    @Test
    func segmentsAreComparedDecoded() throws {
        let head = try head("GET /%61b/a%2Fb HTTP/1.1\r\nHost: a\r\n\r\n")
        let segments = Array(head.path)
        try #require(segments.count == 2)
        #expect(segments[0] == "ab")
        #expect(!(segments[0] == "abc"))
        #expect(!(segments[1] == "a"))
        #expect(segments[1] == "a/b")
    }

    @Test
    func wholePathsAreComparedAsTheyAre() throws {
        #expect(try head("GET /healthz?x HTTP/1.1\r\nHost: a\r\n\r\n").path.raw == "/healthz")
        #expect(try head("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n").path.raw == "*")
        #expect(try head("GET http://h HTTP/1.1\r\nHost: a\r\n\r\n").path.raw == "/")
        #expect(try head("OPTIONS http://h HTTP/1.1\r\nHost: a\r\n\r\n").path.raw == "*")
        #expect(try head("OPTIONS http://h/ HTTP/1.1\r\nHost: a\r\n\r\n").path.raw == "/")
        #expect(try head("GET /healthz/ HTTP/1.1\r\nHost: a\r\n\r\n").path.raw != "/healthz")
    }

    @Test
    func segmentsArePatterns() throws {
        let head = try head("GET /a%62/ HTTP/1.1\r\nHost: a\r\n\r\n")
        let words = head.path.map { segment in
            switch segment {
            case "ab": "found"
            default: segment.isEmpty ? "empty" : "other"
            }
        }
        #expect(words == ["found", "empty"])
    }

    @Test
    func rawPathIsUndecoded() throws {
        #expect(try head("GET /a%62?c HTTP/1.1\r\nHost: a\r\n\r\n").path.raw == "/a%62")
        #expect(try head("CONNECT b:1 HTTP/1.1\r\nHost: a\r\n\r\n").path.raw == "*")
    }

    @Test(arguments: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PURGE", "Get"])
    func methodsRoundTrip(name: String) throws {
        let method = try head("\(name) / HTTP/1.1\r\nHost: a\r\n\r\n").method
        #expect(method.description == name)
        #expect((method == .other(name)) == (name == "PURGE" || name == "Get"))
    }

    @Test
    func authorityIsTheTargetsBeforeTheHosts() throws {
        #expect(try head("GET http://b:1/ HTTP/1.1\r\nHost: a\r\n\r\n").authority == "b:1")
        #expect(try head("GET / HTTP/1.1\r\nHost: a:2\r\n\r\n").authority == "a:2")
        #expect(try head("GET / HTTP/1.0\r\n\r\n").authority == nil)
    }

    @Test
    func queryItemsAreDecodedLikeForms() throws {
        let head = try head("GET /?select=%2Fa%20b&x&select=c&&%79=1+2=3&empty= HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(head.query.first("select") == "/a b")
        #expect(head.query.first("x")?.isEmpty == true)
        #expect(head.query.first("y") == "1 2=3")
        #expect(head.query.first("empty")?.isEmpty == true)
        #expect(head.query.first("sel") == nil)
        #expect(head.query.map(\.name) == ["select", "x", "select", "y", "empty"])
    }

    @Test
    func noQueryHasNoItems() throws {
        let head = try head("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(head.query.isEmpty)
        #expect(head.query.first("") == nil)
    }

    @Test
    func fieldsAreFoundWithoutCaseAndKeepTheirOrder() throws {
        let head = try head("GET / HTTP/1.1\r\nHOST: a\r\nPrefer: x\r\nprefer:  y \r\nETag: \"Q\"\r\n\r\n")
        #expect(head.fields.first("host") == "a")
        #expect(head.fields.values("prefer") == ["x", "y"])
        #expect(head.fields.values("absent").isEmpty)
        #expect(head.fields.contains("etag"))
        #expect(!head.fields.contains("eta"))
        #expect(head.fields.first("etag", is: "\"q\""))
        #expect(!head.fields.first("prefer", is: "y"))
        #expect(!head.fields.first("absent", is: ""))
        #expect(head.fields.map(\.name) == ["HOST", "Prefer", "prefer", "ETag"])
    }

    @Test
    func parserIsReadyForTheNextRequestAfterAHead() {
        var parser = RequestParser(limits: HTTPLimits())
        for target in ["/1", "/22"] {
            let bytes = Array("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
            guard case .head(let head, _) = bytes.withUnsafeBytes({ parser.parse($0) }) else {
                Issue.record("refused")
                return
            }
            #expect(head.target == target)
            #expect(head.fields.count == 1)
        }
    }
}
