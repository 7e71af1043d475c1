import HTTP
import HTTP2
import Testing

/// The head of a request of HTTP/2 as one of HTTP/1.1.
@Suite struct HTTP2HeadTests {
    private static let pseudo = [
        (":method", "GET"), (":scheme", "http"), (":authority", "a.example"), (":path", "/x?y=1"),
    ]

    private func head(_ fields: [(String, String)]) -> HTTP2Head {
        var head = HTTP2Head()
        for (name, value) in fields {
            Array(name.utf8).withUnsafeBytes { name in
                Array(value.utf8).withUnsafeBytes { head.add(name, $0) }
            }
        }
        return head
    }

    private func text(_ fields: [(String, String)], hasBody: Bool = false) -> String? {
        var head = head(fields)
        let text = head.text(hasBody: hasBody)
        return head.isMalformed ? nil : String(decoding: text, as: UTF8.self)
    }

    @Test func pseudoFieldsBecomeTheRequestLine() {
        #expect(
            text(Self.pseudo + [("accept", "*/*")]) == "GET /x?y=1 HTTP/1.1\r\nHost: a.example\r\naccept: */*\r\n\r\n")
        #expect(text([(":method", "CONNECT"), (":authority", "a:1")]) == "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n")
    }

    @Test func aBodyWithoutALengthIsChunked() {
        let fields = [(":method", "POST"), (":authority", "a"), (":path", "/")]
        let start = "POST / HTTP/1.1\r\nHost: a\r\n"
        #expect(text(fields, hasBody: true) == start + "Transfer-Encoding: chunked\r\n\r\n")
        #expect(text(fields + [("content-length", "3")], hasBody: true) == start + "content-length: 3\r\n\r\n")
        #expect(text(fields) == start + "\r\n")
    }

    @Test func theHostIsThatOfTheAuthority() {
        #expect(text(Self.pseudo + [("host", "A.example")])?.contains("Host: a.example\r\n") == true)
        #expect(text([(":method", "GET"), (":path", "/"), ("host", "b")]) == "GET / HTTP/1.1\r\nHost: b\r\n\r\n")
        #expect(text(Self.pseudo + [("host", "b.example")]) == nil)
        #expect(text(Self.pseudo + [("host", "a.example"), ("host", "a.example")]) == nil)
        // They differ in one bit, as capitals do.
        #expect(text([(":method", "GET"), (":authority", "a[b"), (":path", "/"), ("host", "a{b")]) == nil)
    }

    @Test(arguments: ["/ HTTP/1.1", "/\r\nx: y", "/\t", "/\u{7F}", "/\0"])
    func nothingEndsTheRequestLine(path: String) {
        #expect(text([(":method", "GET"), (":authority", "a"), (":path", path)]) == nil)
        #expect(text([(":method", path), (":authority", "a"), (":path", "/")]) == nil)
        #expect(text([(":method", "GET"), (":authority", path), (":path", "/")]) == nil)
    }

    @Test func theByteCountGrowsWithEachField() {
        #expect(head(Self.pseudo).byteCount == "GETa.example/x?y=1".utf8.count)
        #expect(head([("x", "")]).byteCount == 5)
        #expect(head([("host", "b")]).byteCount == 1)
    }

    /// The parser of HTTP/1.1 reads the text to its end, and finds the fields.
    @Test func theParserReadsIt() throws {
        var head = head(Self.pseudo + [("accept", "text/html"), ("x-forwarded-for", "192.0.2.1")])
        let text = head.text(hasBody: true)
        var parser = RequestParser(limits: HTTPLimits())
        let step = text.withUnsafeBytes { parser.parse($0) }
        guard case .head(let request, let consumed) = step else {
            Issue.record("\(step)")
            return
        }
        #expect(consumed == text.count)
        #expect(request.method == .get && request.body == .chunked)
    }

    @Test func nothingOfAHeadIsInTheNextOne() {
        let long = String(repeating: "y", count: 10_000)
        for field in [("host", "a.example"), ("content-length", "3"), ("x", long), ("host", "b")] {
            var head = head(Self.pseudo + [field])
            _ = head.text(hasBody: true)
            head.begin()
            for (name, value) in [(":method", "PUT"), (":authority", "b"), (":path", "/z")] {
                Array(name.utf8).withUnsafeBytes { name in
                    Array(value.utf8).withUnsafeBytes { head.add(name, $0) }
                }
            }
            let text = String(decoding: head.text(hasBody: true), as: UTF8.self)
            #expect(text == "PUT /z HTTP/1.1\r\nHost: b\r\nTransfer-Encoding: chunked\r\n\r\n")
            #expect(!head.isMalformed)
        }
    }
}
