import FuzzProperties
import HTTP
import HTTPRules
import Testing

struct RequestParserTests {
    @Test(arguments: Row.all)
    func followsTheRules(row: Row) {
        #expect(RequestReader.report(row.bytes) == row.expected)
    }

    @Test(arguments: Row.all)
    func doesNotDependOnThePieces(row: Row) {
        let whole = RequestReader.report(row.bytes)
        for pieces in [1, 2, 7] {
            #expect(RequestReader.report(row.bytes, pieces: pieces) == whole)
        }
    }

    private static let limits = HTTPLimits(maxHeaderBytes: 40, maxTargetBytes: 10, maxBodyBytes: 5)

    @Test(arguments: [
        ("GET /234567890 HTTP/1.1\r\nHost: a\r\n\r\n", "GET /234567890 keep"),
        ("GET /2345678901 HTTP/1.1\r\nHost: a\r\n\r\n", "414 uri-too-long"),
        ("GET /2345678901234567890", "414 uri-too-long"),
        // A header section of 40 bytes, and one of 41.
        ("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "y", count: 24))\r\n\r\n", "GET / keep"),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "y", count: 25))\r\n\r\n", "431 headers-too-large"),
        ("GET / HTTP/1.1\r\nHost: a\r\n\(String(repeating: "y", count: 60))", "431 headers-too-large"),
        ("POST / HTTP/1.0\r\nContent-Length: 5\r\n\r\nabcde", "POST / close abcde"),
        ("POST / HTTP/1.0\r\nContent-Length: 6\r\n\r\n", "413 body-too-large"),
    ])
    func enforcesLimits(text: String, expected: String) {
        for pieces in [1, 3, Int.max] {
            #expect(RequestReader.report(Array(text.utf8), limits: Self.limits, pieces: pieces) == [expected])
        }
    }

    @Test
    func limitsTheSumOfChunks() {
        let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        let limits = HTTPLimits(maxBodyBytes: 5)
        let fits = RequestReader.report(Array("\(head)2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n".utf8), limits: limits)
        #expect(fits == ["POST / keep abcde"])
        let over = RequestReader.report(Array("\(head)2\r\nab\r\n4\r\n".utf8), limits: limits)
        #expect(over == ["413 body-too-large"])
    }

    @Test
    func failureHasMethodAndConsumedBytes() {
        var parser = RequestParser(limits: HTTPLimits())
        let bytes = Array("HEAD /% HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        guard case .failed(let failure, _) = bytes.withUnsafeBytes({ parser.parse($0) }) else {
            Issue.record("taken")
            return
        }
        #expect(failure.method == .head)
        #expect(failure.consumed == nil)
        #expect(failure.status == .badRequest)
    }

    /// The origin and the client of a request count before the reason for which it is refused.
    @Test(arguments: [
        ("Content-Length: 6", 413, true, false), ("Transfer-Encoding: gzip, chunked", 501, true, false),
        ("Expect: x", 417, true, true), ("Expect: x\r\nConnection: close", 417, true, false),
        ("Expect: x\r\nContent-Length: 2", 417, true, false), ("Expect: x\r\nContent-Length: 6", 413, true, false),
        // A malformed field counts before all other reasons.
        ("Expect: x\r\nContent-Length: y", 400, false, false), ("Transfer-Encoding: gzip", 400, false, false),
        ("Transfer-Encoding: chunked, chunked", 400, false, false),
    ])
    func aWellFormedRequestThatIsRefusedHasAHead(field: String, status: Int, isWellFormed: Bool, goesOn: Bool) {
        var parser = RequestParser(limits: HTTPLimits(maxBodyBytes: 5))
        let bytes = Array("POST /a HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n".utf8)
        guard case .failed(let failure, let head) = bytes.withUnsafeBytes({ parser.parse($0) }) else {
            Issue.record("taken")
            return
        }
        #expect(failure.status.rawValue == status && failure.method == .post)
        #expect(failure.consumed == (goesOn ? bytes.count : nil))
        #expect(
            head?.path.raw == (isWellFormed ? "/a" : nil) && head?.fields.first("host") == (isWellFormed ? "a" : nil))
        #expect(failure.fields?.first("host") == "a")
    }

    /// Where eight bytes are examined together, each place among them counts.
    @Test(arguments: 0..<20)
    func aByteIsAllowedInTheSamePartsAtEachPlace(place: Int) {
        let (letters, digits) = ("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789")
        let token = Set("\(letters)\(digits)!#$%&'*+-.^_`|~".utf8)
        let segment = Set("\(letters)\(digits)-._~!$&'()*+,;=:@".utf8)
        let name = Set("\(letters)\(digits)-._~!$&'()*+,;=".utf8)
        for byte in UInt8.min ... .max {
            var text = [UInt8](repeating: UInt8(ascii: "a"), count: 20)
            text[place] = byte
            let isColon = byte == UInt8(ascii: ":")
            let isBlankAround = (place == 0 || place == 19) && (byte == 0x20 || byte == 0x09)
            // `%aa` is an encoded byte, but not UTF-8.
            let isEncoded = byte == UInt8(ascii: "%") && place < 18
            #expect(isAccepted("", text, " / HTTP/1.1\r\nHost: a\r\n\r\n") == token.contains(byte))
            let isPath = segment.contains(byte) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?")
            #expect(isAccepted("GET /", text, " HTTP/1.1\r\nHost: a\r\n\r\n") == isPath)
            #expect(
                isAccepted("GET / HTTP/1.1\r\nHost: a\r\n", text, ": x\r\n\r\n")
                    == (isColon ? place > 0 : token.contains(byte)))
            #expect(
                isAccepted("GET / HTTP/1.1\r\nHost: ", text, "\r\n\r\n")
                    == (isColon ? place == 19 : name.contains(byte) || isEncoded || isBlankAround))
        }
    }

    private func isAccepted(_ before: String, _ text: [UInt8], _ behind: String) -> Bool {
        var parser = RequestParser(limits: HTTPLimits())
        let bytes = Array(before.utf8) + text + Array(behind.utf8)
        if case .head = bytes.withUnsafeBytes({ parser.parse($0) }) { return true }
        return false
    }
}
