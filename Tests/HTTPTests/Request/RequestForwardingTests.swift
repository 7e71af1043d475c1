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
                Host: a\r
                Authorization: Bearer x\r
                Content-Type: application/json\r
                Origin: https://page\r
                x-hop: 1\r
                X-Request-Id: 1\r
                Content-Length: 2\r
                \r
                {}
                """)
    }

    @Test func isParsedAsTheSameRequest() throws {
        let again = try head(try forwarded("HEAD /a HTTP/1.0\r\n\r\n"))
        #expect(again.method == .get)
        #expect(again.target == "/a")
        let stream = try head(try forwarded("GET /a HTTP/1.1\r\nHost: a\r\n\r\n", isStream: true))
        #expect(stream.version == .http10)
    }
}
