import JSON
import Observability
import StorehouseServer
import Testing

/// The lines about refused actions at `log.level` debug.
@Suite struct RefusedActionTests {
    private static let id = ("X-Request-Id", "mine-1")

    private static func lines(_ api: any TestServing) -> [JSONObject] {
        api.log.text.split(separator: "\n").compactMap { try? JSONValue(parsing: Array($0.utf8)).asObject }
            .filter { $0["message"] == "action refused" }
    }

    private static func run(
        logging level: LogLevel = .debug, _ body: @Sendable (TestAPI, LiveSession) async throws -> Void
    ) async throws {
        try await TestAPI.run(configuration: .with { $0.log.format = .json }, logging: level) { api in
            try await body(api, try await api.session())
        }
    }

    @Test func aRejectedActionHasOneLineWithoutItsPayload() async throws {
        try await Self.run { api, session in
            _ = try await session.dispatch("counter/increment")
            #expect(Self.lines(api).isEmpty)
            #expect(try await session.dispatch("betslip/placeBet", fields: [Self.id]).status == 409)
            let lines = Self.lines(api)
            #expect(lines.count == 1)
            let line = try #require(lines.first)
            #expect(line.names == ["time", "level", "message", "session", "type", "code", "reason", "requestId"])
            #expect(line["level"] == "debug")
            #expect(line["session"] == .string(Fingerprint.of(session.id)))
            #expect(line["type"] == "betslip/placeBet")
            #expect(line["code"] == "action-rejected")
            #expect(line["requestId"] == "mine-1")
        }
    }

    @Test func everyKindOfRefusalHasItsLine() async throws {
        let secret = "hunter2-hunter2"
        try await Self.run { api, session in
            let path = session.path + "/actions"
            let invalid: JSONValue = ["type": "counter/increment", "payload": ["by": .string(secret)]]
            let unknown: JSONValue = ["type": "counter/nothing", "payload": ["a": .string(secret)]]
            let batch: JSONValue = [["type": "counter/increment"], unknown]
            let refused = try await api.post(path, json: invalid)
            #expect(refused.status == 422)
            #expect(try await api.post(path, json: batch).status == 422)
            let increment: JSONValue = ["type": "counter/increment"]
            #expect(try await api.post(path, [("If-Match", "\"7\"")], json: increment).status == 412)
            #expect(try await api.post(path, json: .string(secret)).status / 100 == 4)
            let lines = Self.lines(api)
            #expect(
                lines.map { $0["code"] } == [
                    "invalid-payload", "unknown-action", "revision-mismatch", lines.last?["code"],
                ])
            #expect(
                lines.map { $0["type"] } == ["counter/increment", "counter/nothing", "counter/increment", nil])
            #expect(lines.map { $0["index"] } == [nil, 1, nil, nil])
            #expect(!api.log.text.contains(secret))
        }
    }

    @Test func thereIsNoneAtOtherLevels() async throws {
        try await Self.run(logging: .info) { api, session in
            let refused = try await session.dispatch("betslip/placeBet")
            #expect(refused.status == 409)
            #expect(Self.lines(api).isEmpty)
        }
    }
}
