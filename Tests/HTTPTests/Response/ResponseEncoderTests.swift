import HTTP
import Testing

struct ResponseEncoderTests {
    private let date = HTTPDate(unixTime: 784_111_777).bytes

    private func encode(_ request: String, _ response: Response) throws -> String {
        ResponseEncoder(answering: try head(request)).bytes(of: response, date: date).text
    }

    @Test
    func writesStatusDateFieldsLengthAndBody() throws {
        let response = Response(
            .created, contentType: "application/json", fields: [.init("Location", "/sessions/x")],
            body: Array("{}".utf8))
        #expect(
            try encode("GET / HTTP/1.1\r\nHost: a\r\n\r\n", response) == """
                HTTP/1.1 201 Created\r
                Date: Sun, 06 Nov 1994 08:49:37 GMT\r
                Content-Type: application/json\r
                Location: /sessions/x\r
                Content-Length: 2\r
                \r
                {}
                """)
    }

    @Test(
        arguments: [
            ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", nil),
            ("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "close"),
            ("GET / HTTP/1.0\r\n\r\n", "close"),
            ("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "keep-alive"),
        ] as [(String, String?)])
    func saysWhatBecomesOfTheConnection(request: String, connection: String?) throws {
        let answer = try encode(request, Response(.ok))
        let line = answer.split(separator: "\r\n").first { $0.hasPrefix("Connection: ") }
        #expect(line.map { String($0.dropFirst(12)) } == connection)
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
    }

    /// RFC 9112, section 6.3, point 1; RFC 9110, section 8.6.
    @Test(
        arguments: [
            ("HEAD", HTTPStatus.ok, "Content-Length: 3"), ("GET", .noContent, nil), ("GET", .notModified, nil),
            ("HEAD", .notModified, nil),
        ] as [(String, HTTPStatus, String?)])
    func sendsNoBodyIfNoneIsAllowed(method: String, status: HTTPStatus, length: String?) throws {
        let answer = try encode("\(method) / HTTP/1.1\r\nHost: a\r\n\r\n", Response(status, body: Array("abc".utf8)))
        #expect(answer.hasSuffix("\r\n\r\n"))
        let line = answer.split(separator: "\r\n").first { $0.hasPrefix("Content-Length") }
        #expect(line.map(String.init) == length)
    }

    @Test
    func valuesCannotEndTheirLine() throws {
        let answer = try encode(
            "GET / HTTP/1.1\r\nHost: a\r\n\r\n", Response(.ok, fields: [.init("X", "a\r\nSet-Cookie: b\u{0}\u{7F}\tc")])
        )
        #expect(answer.contains("\r\nX: a  Set-Cookie: b  \tc\r\n"))
    }

    @Test
    func streamsAreChunkedForHTTP11Only() throws {
        var output: [UInt8] = []
        var modern = ResponseEncoder(answering: try head("GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
        modern.appendStreamHead(.ok, [], date: date, to: &output)
        ChunkedCoding.append(Array(repeating: 0x61, count: 26), to: &output)
        ChunkedCoding.append([], to: &output)
        modern.appendStreamEnd(to: &output)
        let pieces = String(repeating: "a", count: 26)
        #expect(output.text.hasSuffix("\r\nTransfer-Encoding: chunked\r\n\r\n1a\r\n\(pieces)\r\n0\r\n\r\n"))
        #expect(modern.streamIsChunked && modern.keepAlive)

        output = []
        var old = ResponseEncoder(answering: try head("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"))
        old.appendStreamHead(.ok, [], date: date, to: &output)
        old.appendStreamEnd(to: &output)
        #expect(output.text.hasSuffix("GMT\r\nConnection: close\r\n\r\n"))
        #expect(!old.streamIsChunked && !old.keepAlive)
    }

    @Test
    func responsesToFailuresCloseUnlessRecoverable() {
        for (text, keeps, hasBody) in [
            ("GET / HTTP/3.0\r\n", false, true), ("HEAD /% HTTP/1.1\r\nHost: a\r\n\r\n", false, false),
            ("GET / HTTP/1.1\r\nHost: a\r\nExpect: x\r\n\r\n", true, true),
        ] {
            var parser = RequestParser(limits: HTTPLimits())
            guard case .failed(let failure, _) = Array(text.utf8).withUnsafeBytes({ parser.parse($0) }) else {
                Issue.record("taken: \(text)")
                continue
            }
            let output = ResponseEncoder(answering: failure)
                .bytes(of: Response(failure.status, body: Array("body".utf8)), date: date)
            #expect(output.text.contains("\r\nConnection: close\r\n") == !keeps)
            #expect(output.text.hasSuffix("body") == hasBody)
        }
    }

    /// The names of the registry that RFC 9110, section 16.2.1, keeps.
    @Test(arguments: [
        (100, "Continue"), (200, "OK"), (201, "Created"), (202, "Accepted"), (204, "No Content"), (303, "See Other"),
        (304, "Not Modified"), (307, "Temporary Redirect"), (308, "Permanent Redirect"), (400, "Bad Request"),
        (401, "Unauthorized"), (403, "Forbidden"), (404, "Not Found"), (405, "Method Not Allowed"),
        (406, "Not Acceptable"), (408, "Request Timeout"), (409, "Conflict"), (410, "Gone"),
        (412, "Precondition Failed"), (413, "Content Too Large"), (414, "URI Too Long"),
        (415, "Unsupported Media Type"), (417, "Expectation Failed"), (422, "Unprocessable Content"),
        (429, "Too Many Requests"), (431, "Request Header Fields Too Large"), (500, "Internal Server Error"),
        (501, "Not Implemented"), (502, "Bad Gateway"), (503, "Service Unavailable"), (504, "Gateway Timeout"),
        (505, "HTTP Version Not Supported"),
    ])
    func reasonPhrasesAreRegistered(code: Int, reason: String) {
        #expect(HTTPStatus(rawValue: code)?.reason == reason)
    }

    @Test
    func responseFieldsAreCaseInsensitive() {
        let response = Response(.ok, contentType: "text/plain", body: [])
        #expect(response["content-type"] == "text/plain")
        #expect(response["etag"] == nil)
    }

    /// RFC 9110, section 5.6.7. The expected texts are those of GNU date.
    @Test(arguments: [
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"), (1_735_689_599, "Tue, 31 Dec 2024 23:59:59 GMT"),
        (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (Int.max, "Fri, 31 Dec 9999 23:59:59 GMT"),
        (Int.min, "Sat, 01 Jan 0000 00:00:00 GMT"),
    ])
    func datesAreIMFFixdate(time: Int, text: String) {
        #expect(HTTPDate(unixTime: time).bytes.text == text)
    }
}
