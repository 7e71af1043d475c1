import HTTPRules
import JSON
import Sockets
import StorehouseServer
import Testing

/// The table of HTTP rules over a socket: the responses, and whether the connection stays open.
@Suite struct RuleTests {
    /// One of the rules is that of a server without HTTP/2.
    private static let configuration = Configuration.with {
        $0.http.allowedHosts = ["*"]
        $0.http.http2 = .none
    }

    @Test(arguments: LoopImplementation.allCases)
    func everyRuleHoldsOverASocket(_ loops: LoopImplementation) async throws {
        try await LiveServer.run(loops: loops, configuration: Self.configuration) { server in
            for row in Row.all { try await Self.check(row, byteByByte: false, server) }
        }
    }

    @Test(arguments: LoopImplementation.allCases)
    func everyRuleHoldsByteByByte(_ loops: LoopImplementation) async throws {
        try await LiveServer.run(loops: loops, configuration: Self.configuration) { server in
            for row in Row.all where row.bytes.count < 1000 { try await Self.check(row, byteByByte: true, server) }
        }
    }

    private static func check(_ row: Row, byteByByte: Bool, _ server: LiveServer) async throws {
        let client = try server.client()
        if byteByByte { try await client.send(byteByByte: row.bytes) } else { try await client.send(row.bytes) }
        do {
            var isOpen = true
            for line in row.expected where line != "incomplete" {
                isOpen = try await check(row, Expectation(line), client)
            }
            if isOpen, row.expected.last != "incomplete" {
                try await client.send(TestRequest("GET", "/healthz").bytes)
                #expect(try await client.response()[json: "status"] == "alive", "\(row)")
            }
            // Incomplete requests get no response, and no reset comes before the end.
            if isOpen { try await client.finishSending() }
            #expect(try await client.rest().isEmpty, "\(row)")
        } catch {
            Issue.record("\(row): \(error)")
        }
    }

    /// Reads one response.
    /// - Returns: whether the connection stays open.
    private static func check(_ row: Row, _ expected: Expectation, _ client: TestClient) async throws -> Bool {
        if expected.isContinued { #expect(try await client.response().status == 100, "\(row)") }
        let response = try await client.response(to: expected.method)
        #expect(response["date"] != nil, "\(row)")
        if let code = expected.code {
            #expect("\(response.status) \(response.code ?? "")" == code, "\(row)")
            return response["connection"] != "close"
        }
        // The status depends on the router, not on the rule.
        #expect([200, 204, 404, 405].contains(response.status), "\(row)")
        #expect((response["connection"] == "close") == expected.closes, "\(row)")
        return !expected.closes
    }
}

/// The expected response of one line of a row.
private struct Expectation {
    var method = "GET"
    /// The status and code of a refusal.
    var code: String?
    var closes = false
    var isContinued = false

    init(_ line: String) {
        let words = line.split(separator: " ", maxSplits: 3).map(String.init)
        if words.count == 2 {
            code = line
        } else {
            method = words[0]
            closes = words[2] == "close"
            isContinued = words.count == 4 && words[3].hasPrefix("continue")
        }
    }
}
