import HTTP
import Testing

struct RequestForwardingTests {
    private func forwarded(_ request: String, _ body: String = "", isStream: Bool = false) throws -> String {
        try head(request).forwarded(
            body: Array(body.utf8), isStream: isStream, adding: [.init("X-Request-Id", "1")]
        ).text
    }

    @Test func isTheSameRequestWithoutWhatBelongsToTheConnection() throws {
        let request = """
            POST /a/b?c=%20d HTTP/1.1\r
            Host: a\r
            Authorization: Bearer x\r
            Content-Type: application/json\r
            Origin: https://page\r
            Connection: keep-alive, X-Hop\r
            x-hop: 1\r
            X-Forwarded-For: 10.0.0.1\r
            Forwarded: for=10.0.0.1\r
            x-request-id: own\r
            Expect: 100-continue\r
            Transfer-Encoding: chunked\r
            \r

            """
        #expect(
            try forwarded(request, "{}") == """
                POST /a/b?c=%20d HTTP/1.1\r
                X-Request-Id:1\r
                Host:a\r
                Authorization:Bearer x\r
                Content-Type:application/json\r
                Origin:https://page\r
                x-hop:1\r
                Content-Length: 2\r
                \r
                {}
                """)
    }

    /// The fields of a client within the limit stay within it.
    @Test func takesNoMoreThanTheAddedFields() throws {
        let fields = (0..<300).map { "\($0):\r\n" }.joined()
        for request in ["GET / HTTP/1.1\r\nHost:a\r\n\(fields)\r\n", "GET / HTTP/1.0\r\n\(fields)\r\n"] {
            let added = "X-Request-Id:1\r\nHost: node\r\n".utf8.count
            #expect(try forwarded(request).utf8.count <= request.utf8.count + added)
        }
        let limits = HTTPLimits(maxHeaderBytes: 1024, acceptsForwarded: true)
        let rest = HTTPLimits.maxForwardingBytes + 1024 - "storehouse-node:a\r\nx:\r\n\r\n".utf8.count
        for (first, limits, more, isAccepted) in [
            ("storehouse-node", limits, 0, true), ("Storehouse-Node", limits, -1, true),
            ("storehouse-node", limits, 1, false), ("storehouse-nod3", limits, 0, false),
            ("storehouse-node", HTTPLimits(maxHeaderBytes: 1024), 0, false),
        ] {
            let value = String(repeating: "x", count: rest + more)
            let bytes = Array("GET / HTTP/1.0\r\n\(first):a\r\nx:\(value)\r\n\r\n".utf8)
            for pieces in [[bytes.count], [500, 1100, bytes.count]] {
                var parser = RequestParser(limits: limits)
                var step = RequestParser.Step.needMore
                for count in pieces {
                    guard case .needMore = step else { break }
                    step = bytes.prefix(count).withUnsafeBytes { parser.parse($0) }
                }
                let isHead = if case .head = step { true } else { false }
                #expect(isHead == isAccepted, "\(first) \(more)")
            }
        }
    }

    @Test func isParsedAsTheSameRequest() throws {
        let again = try head(try forwarded("HEAD /a HTTP/1.0\r\n\r\n"))
        #expect(again.method == .get)
        #expect(again.target == "/a")
        let stream = try head(try forwarded("GET /a HTTP/1.1\r\nHost: a\r\n\r\n", isStream: true))
        #expect(stream.version == .http10)
    }
}
