import HTTP
import Testing

struct ResponseParserTests {
    private func parse(_ text: String) -> ResponseParser.Step {
        Array(text.utf8).withUnsafeBytes { ResponseParser(maxHeaderBytes: 200).parse($0) }
    }

    private func head(_ text: String) -> ResponseHead? {
        if case .head(let head, let consumed) = parse(text), consumed == text.utf8.count { head } else { nil }
    }

    @Test func readsWhatTheEncoderWrites() throws {
        let response = Response(.created, fields: [.init("Location", "/x")], body: Array("{}".utf8))
        let request = try HTTPTests.head("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let bytes = ResponseEncoder(answering: request)
            .bytes(of: response, date: HTTPDate(unixTime: 0).bytes, requestID: "1")
        for count in 0..<(bytes.count - 2) {
            guard case .needMore = bytes[..<count].withUnsafeBytes({ ResponseParser().parse($0) }) else {
                Issue.record("a head of \(count) bytes is complete")
                return
            }
        }
        guard case .head(let head, let consumed) = bytes.withUnsafeBytes({ ResponseParser().parse($0) }) else {
            Issue.record("no head")
            return
        }
        #expect(consumed == bytes.count - 2)
        #expect(head.status == .created)
        #expect(head.contentLength == 2)
        #expect(head.keepAlive)
        #expect(head.endToEndFields() == response.fields)
    }

    @Test func fieldsOfTheConnectionAreNotPassedOn() throws {
        let head = try #require(
            self.head(
                "HTTP/1.1 200 OK\r\nDATE: x\r\nContent-Length: 0\r\nEtag: \"1\"\r\nconnection: close\r\nVary: Origin\r\n"
                    + "X-Request-Id: a\r\nStorehouse-Stream: b\r\nA: \r\n\r\n"))
        let fields = [Response.Field("Etag", "\"1\""), .init("Vary", "Origin"), .init("A", "")]
        #expect(head.endToEndFields() == fields)
        #expect(head.endToEndFields(besides: [.init("vary", "*")]) == [fields[0], fields[2]])
    }

    @Test func knowsWhereTheBodyEnds() {
        #expect(head("HTTP/1.1 204 No Content\r\n\r\n")?.contentLength == 0)
        #expect(head("HTTP/1.1 304 Not Modified\r\n\r\n")?.keepAlive == true)
        #expect(head("HTTP/1.1 200 OK\r\nContent-Length: 7\r\nConnection: close\r\n\r\n")?.keepAlive == false)
        let stream = head("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        #expect(stream != nil)
        #expect(stream?.contentLength == nil)
        #expect(stream?.keepAlive == false)
    }

    @Test(arguments: [
        "SMTP ready for mail\r\n\r\n", "HTTP/1.0 200 OK\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 999 What\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 200 OK\n\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "HTTP/1.1 200 OK\r\nA b: c\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA: " + String(repeating: "x", count: 200), String(repeating: "x", count: 300),
    ])
    func refusesWhatIsAmbiguous(_ text: String) {
        guard case .failed = parse(text) else {
            Issue.record("it is not refused")
            return
        }
    }
}
