import HTTP
import Testing

/// Messages as they travel between servers.
struct MessageForwardingTests {
    private func forwarded(_ request: String, hidesCredentials: Bool = false) throws -> RequestHead {
        let bytes = try head(request).forwarded(hidesCredentials: hidesCredentials)
        return try #require(bytes.withUnsafeBytes { RequestHead(forwarded: $0) })
    }

    private static let request = """
        POST /a/b?c=%20d HTTP/1.1\r
        Host: a\r
        Authorization: Bearer x\r
        Content-Type: application/json\r
        Origin: https://page\r
        Connection: keep-alive, X-Hop\r
        x-hop: 1\r
        empty:\r
        tab: a\tb\r
        X-Forwarded-For: 10.0.0.1\r
        Forwarded: for=10.0.0.1\r
        Expect: 100-continue\r
        Transfer-Encoding: chunked\r
        \r

        """

    @Test func aRequestIsTheSameWithoutWhatBelongsToTheConnection() throws {
        let again = try forwarded(Self.request)
        #expect(again.method == .post)
        #expect(again.target == "/a/b?c=%20d")
        #expect(again.query.first("c") == " d")
        #expect(again.body == .none)
        #expect(again.keepAlive)
        #expect(
            again.fields.map { "\($0.name)=\($0.value)" } == [
                "Host=a", "Authorization=Bearer x", "Content-Type=application/json", "Origin=https://page", "x-hop=1",
                "empty=", "tab=a\tb",
            ])
        let hidden = try forwarded(Self.request, hidesCredentials: true)
        #expect(!hidden.fields.contains("authorization"))
        #expect(hidden.fields.count == 6)
    }

    @Test func aHeadRequestHasABodyForTheOtherServer() throws {
        let again = try forwarded("HEAD /a HTTP/1.0\r\n\r\n")
        #expect(again.method == .get)
        #expect(again.version == .http11)
    }

    /// No part of a message is a message, and no byte of it can be changed into something that clients may not send.
    @Test func nothingElseIsARequest() throws {
        let bytes = try head(Self.request).forwarded()
        for count in 0..<bytes.count {
            let part = bytes[..<count].withUnsafeBytes { RequestHead(forwarded: $0) }
            if let part { #expect(part.fields.count < 7) }
        }
        for index in bytes.indices {
            for byte: UInt8 in [0, 10, 13, 127, 255] {
                var changed = bytes
                changed[index] = byte
                guard let head = changed.withUnsafeBytes({ RequestHead(forwarded: $0) }) else { continue }
                #expect(!head.target.utf8.contains { $0 <= 32 || $0 == 127 })
                for field in head.fields {
                    #expect(!field.name.utf8.contains { $0 <= 32 || $0 >= 127 })
                    #expect(!field.value.utf8.contains { $0 < 32 && $0 != 9 || $0 == 127 })
                }
            }
        }
    }

    @Test func aResponseIsTheSame() throws {
        let response = Response(
            .created, fields: [.init("Location", "/a"), .init("Vary", "")], revision: RevisionTag(7, of: "x"))
        let again = try #require(response.forwardedHead.withUnsafeBytes { Response(forwardedHead: $0, body: [1, 2]) })
        #expect(again.status == .created)
        #expect(again.fields == response.fields + [.init("ETag", "\"7.x\"")])
        #expect(again.body == [1, 2])
        let plain = Response(.ok, revision: RevisionTag(7, of: ""))
        #expect(plain.forwardedHead.withUnsafeBytes { Response(forwardedHead: $0) }?.fields == [.init("ETag", "\"7\"")])
    }

    @Test(arguments: [
        [], [0x64], [0x80], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0xE7, 0x07], [0xC8, 0x01, 0], [0xC8, 0x01, 2, 0x61],
    ])
    func nothingElseIsAResponse(_ bytes: [UInt8]) {
        #expect(bytes.withUnsafeBytes { Response(forwardedHead: $0) } == nil)
    }
}
