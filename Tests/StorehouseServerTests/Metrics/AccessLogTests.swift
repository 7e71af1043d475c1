import Foundation
import JSON
import Observability
import StorehouseServer
import StoresTesting
import Testing

/// `log.access`: a line for each request, or for those that fail.
@Suite(.timeLimit(.minutes(15))) struct AccessLogTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let members = [
        "time", "level", "message", "requestId", "method", "route", "status", "code", "bytes", "duration", "client",
        "forwarded", "userAgent", "session", "kind", "revision", "traceId",
    ]

    private static func configuration(
        _ access: Configuration.Logging.Requests, _ format: LogFormat = .json,
        _ change: (inout Configuration) -> Void = { _ in }
    ) -> Configuration {
        .with {
            $0.log.access = access
            $0.log.format = format
            change(&$0)
        }
    }

    /// Everything that a line can have, but a problem.
    private static func request(to session: LiveSession, by number: Int = 1) -> TestRequest {
        TestRequest(
            "POST", session.path + "/actions",
            [
                ("X-Request-Id", "mine-\(number)"), ("User-Agent", "test/1.0"), ("Forwarded", "for=192.0.2.1"),
                ("X-Forwarded-For", "192.0.2.2"), ("traceparent", "00-\(trace)-b7ad6b7169203331-01"),
            ], json: ["type": "counter/increment"])
    }

    @Test func aLineHasItsMembersInOrder() async throws {
        try await LiveServer.run(configuration: Self.configuration(.all), logging: .error) { server in
            let session = try await server.session()
            let body = try await server.send(Self.request(to: session)).body
            _ = try await session.dispatch("betslip/placeBet")
            let lines = try server.log.accessLines()
            #expect(lines.map { $0["route"] } == ["/sessions", "/sessions/{id}/actions", "/sessions/{id}/actions"])
            let line = try #require(lines.dropFirst().first)
            #expect(line.names == Self.members.filter { $0 != "code" })
            #expect(line["level"] == "info")
            #expect(line["message"] == "request")
            #expect(line["requestId"] == "mine-1")
            #expect(line["method"] == "POST")
            #expect(line["status"] == 200)
            #expect(line["bytes"] == .integer(body.count))
            #expect((0..<600).contains(line["duration"]?.asNumber ?? -1))
            #expect(line["client"] == "127.0.0.1")
            #expect(line["forwarded"] == "for=192.0.2.1, 192.0.2.2")
            #expect(line["userAgent"] == "test/1.0")
            #expect(line["session"] == .string(Fingerprint.of(session.id)))
            #expect(line["kind"] == "app")
            #expect(line["revision"] == 1)
            #expect(line["traceId"] == .string(Self.trace))
            let created = try #require(lines.first)
            #expect([created["session"], created["kind"], created["revision"]] == [line["session"], "app", 0])
            let rejected = try #require(lines.last)
            #expect(rejected["status"] == 409)
            #expect(rejected["code"] == "action-rejected")
            #expect(rejected["session"] == line["session"])
            #expect(rejected["revision"] == nil)
            #expect(!server.log.text.contains(session.id))
        }
    }

    @Test func theTextHasTheSameValuesInTheSameOrder() async throws {
        try await LiveServer.run(configuration: Self.configuration(.all, .text)) { server in
            let session = try await server.session()
            _ = try await server.send(Self.request(to: session))
            let line = try #require(server.log.text.split(separator: "\n").first { $0.contains(" requestId=mine-1 ") })
            let pattern = try Regex(
                #"\S+ info request requestId=mine-1 method=POST route=/sessions/\{id\}/actions status=200 bytes=\d+ "#
                    + #"duration=[0-9.e-]+ client=127.0.0.1 forwarded="for=192.0.2.1, 192.0.2.2" userAgent=test/1.0 "#
                    + #"session=\#(Fingerprint.of(session.id)) kind=app revision=1 traceId=\#(Self.trace)"#)
            #expect(line.wholeMatch(of: pattern) != nil, "\(line)")
        }
    }

    @Test func byDefaultOnlyFailuresHaveALine() async throws {
        let remote = ScriptedRemoteClient()
        try await LiveServer.run(animal: remote, configuration: Self.configuration(.errors)) { server in
            let session = try await server.session()
            _ = try await session.increment()
            _ = try await session.read("/nothing")
            _ = try await session.events().state()
            let malformed = try server.client()
            try await malformed.send("GET / HTTP/9.1\r\n\r\n")
            #expect(try await malformed.response().status == 505)
            do {
                let client = try server.client()
                try await client.send(session.request("animal/fetchAnimal", fields: [("Prefer", "wait=3600")]).bytes)
                await remote.called(times: 1)
                try await client.makeReset()
            }
            try await server.log.line(with: "request cut")
            let lines = try server.log.accessLines()
            #expect(lines.map { $0["status"] } == [505, nil])
            #expect(lines.map { $0["level"] } == ["warning", "warning"])
            #expect(lines.first?["code"] == "http-version-not-supported")
            let cut = try #require(lines.last)
            #expect(cut["route"] == "/sessions/{id}/actions")
            #expect(cut["client"] == "127.0.0.1")
            #expect(cut["session"] == .string(Fingerprint.of(session.id)))
            #expect(cut["kind"] == "app")
            #expect(cut["bytes"] == nil)
            remote.reply(#"{"animal":"Cow"}"#)
        }
    }

    @Test func withoutTheAccessLogThereIsNoLine() async throws {
        try await LiveServer.run(configuration: Self.configuration(.off)) { server in
            let malformed = try server.client()
            try await malformed.send("GET / HTTP/9.1\r\n\r\n")
            #expect(try await malformed.response().status == 505)
            #expect(try await server.get("/healthz").status == 200)
            #expect(try server.log.accessLines().isEmpty)
        }
    }

    /// Requests of a user with a name in token mode, and of others: a create, an action, a refused action, and a stream.
    private static func useTokens(
        _ actors: Configuration.Logging.Actors, _ format: LogFormat = .json, subject: String = "ada",
        _ body: @Sendable (LiveServer) async throws -> Void
    ) async throws {
        let configuration = TestTokens.configuration {
            $0.log.access = .all
            $0.log.format = format
            $0.log.actors = actors
        }
        try await LiveServer.run(configuration: configuration, logging: .error) { server in
            let fields = TestTokens.field(of: subject, claims: ["name": "Ada the Named"], ["roles": ["a-known-role"]])
            let path = try #require(try await server.post("/sessions", fields, json: ["store": "app"])["location"])
            let session = LiveSession(server: server, path: path)
            let action: JSONValue = ["type": "counter/increment"]
            #expect(try await session.post(action, fields).status == 200)
            #expect(try await session.post(action, TestTokens.field(of: "eve")).status == 403)
            #expect(try await session.post(action).status == 401)
            let events = try await session.events(fields)
            _ = try await events.state()
            #expect(try await server.send(TestRequest("DELETE", path, fields)).status == 204)
            while try await events.event() != nil {}
            try await waitUntil { server.log.text.split(separator: "\n").count { $0.contains("duration") } == 6 }
            try await body(server)
        }
    }

    @Test func aLineMarksTheUserByTheHashOfTheId() async throws {
        try await Self.useTokens(.mark) { server in
            let (ada, eve) = (JSONValue.string(Fingerprint.of("ada")), JSONValue.string(Fingerprint.of("eve")))
            let lines = try server.log.accessLines()
            // The stream and the `DELETE` that ends it write their lines in either order.
            let actors = Dictionary(grouping: lines, by: { $0["status"] }).mapValues { $0.map { $0["actor"] } }
            #expect(actors == [201: [ada], 200: [ada, ada], 403: [eve], 401: [nil], 204: [ada]])
            // printf ada | sha256sum
            #expect(ada == "fdee430d")
            let names = try #require(lines.dropFirst().first).names
            #expect(
                names == [
                    "time", "level", "message", "requestId", "method", "route", "status", "bytes", "duration",
                    "client", "actor", "session", "kind", "revision",
                ])
            for text in ["\"ada\"", "Ada the Named", "a-known-role", "Bearer"] {
                #expect(!server.log.text.contains(text), "\(text)")
            }
        }
    }

    /// The id may have anything that is no control character.
    @Test func aLineHasTheIdItselfIfItMay() async throws {
        let subject = "ada \u{202e}\"x\" caf\u{e9}"
        try await Self.useTokens(.plain, subject: subject) { server in
            let actors = try server.log.accessLines().map { $0["actor"] }
            #expect(actors == [.string(subject), .string(subject), "eve", nil, .string(subject), .string(subject)])
            #expect(!server.log.text.contains("\u{202e}"))
        }
        try await Self.useTokens(.plain, .text, subject: subject) { server in
            #expect(server.log.text.contains(#" actor="ada \u{202e}\"x\" café" "#), "\(server.log.text)")
        }
    }

    @Test func aLineHasNoUserIfActorsAreOff() async throws {
        try await Self.useTokens(.off) { server in
            let lines = try server.log.accessLines()
            #expect(lines.count == 6 && lines.allSatisfy { $0["actor"] == nil })
        }
    }

    @Test func aLineNamesNobodyForSharesOperatorsAndCapabilities() async throws {
        let configuration = Self.configuration(.all) { $0.admin.token = Secret(TestTokens.admin) }
        try await LiveServer.run(configuration: configuration, logging: .error) { server in
            let session = try await server.session()
            let share = try await session.share()
            #expect(try await share.post(["type": "counter/increment"], "", TestTokens.field(of: "ada")).status == 200)
            #expect(try await session.post(["type": "counter/increment"], TestTokens.field(of: "ada")).status == 200)
            #expect(try await server.get("/admin/sessions", TestTokens.field(TestTokens.admin)).status == 200)
            let lines = try server.log.accessLines()
            #expect(lines.count == 5 && lines.allSatisfy { $0["actor"] == nil })
        }
    }

    @Test func noMetricHasAUser() async throws {
        try await Self.useTokens(.plain) { server in
            let metrics = try await server.get("/metrics").text
            #expect(metrics.contains("storehouse_http_request"))
            for text in ["ada", Fingerprint.of("ada"), "Ada the Named", "a-known-role", "actor"] {
                #expect(metrics.range(of: "\\b\(text)\\b", options: .regularExpression) == nil, "\(text)")
            }
        }
    }

    @Test func aStreamHasOneLineWhenItEnds() async throws {
        try await LiveServer.run(configuration: Self.configuration(.all)) { server in
            let session = try await server.session()
            let events = try await session.events()
            _ = try await events.state()
            _ = try await session.increment()
            _ = try await events.state()
            #expect(try server.log.accessLines("/sessions/{id}/events").isEmpty)
            _ = try await session.delete()
            while try await events.event() != nil {}
            let lines = try server.log.accessLines("/sessions/{id}/events")
            #expect(lines.count == 1)
            #expect(lines.first?["message"] == "request")
            #expect(lines.first?["status"] == 200)
            #expect(lines.first?["session"] == .string(Fingerprint.of(session.id)))
            #expect(lines.first?["revision"] == 1)
            // Two states of the kind, and `closed`.
            let state = try await server.session().read("/state").body.count
            #expect((2 * state...3 * state).contains(lines.first?["bytes"]?.asInteger ?? 0))
        }
    }

    /// Clients that take nothing: of a stream, and of an answer.
    @Test func aClientThatTakesNothingIsCut() async throws {
        let configuration = Self.configuration(.errors) {
            $0.sessions.maxStateBytes = 1 << 28
            $0.http.idleTimeout = LiveServer.shortTime
        }
        try await LiveServer.run(kinds: [.hoard], configuration: configuration) { server in
            let session = try await server.largeSession()
            let stream = try await fasterThan(LiveServer.shortTime) { try await session.events(receiveBuffer: 4096) }
            let answer = try await Self.send(TestRequest("GET", session.path + "/state").bytes, to: server)
            for route in ["events", "state"] { try await server.log.line(with: "/sessions/{id}/\(route)") }
            let lines = try server.log.accessLines()
            // A machine that is too slow for the timeout makes the client ask again.
            let routes = Set(lines.compactMap { $0["route"]?.asString })
            #expect(routes == ["/sessions/{id}/events", "/sessions/{id}/state"])
            for line in lines {
                #expect(line["message"] == "request cut")
                #expect(line["level"] == "warning")
                #expect(line["session"] == .string(Fingerprint.of(session.id)))
            }
            withExtendedLifetime((stream, answer)) {}
        }
    }

    /// Sends requests, and takes no more than the head of the first answer.
    private static func send(_ requests: [UInt8], to server: LiveServer) async throws -> TestClient {
        try await fasterThan(LiveServer.shortTime) {
            let client = try server.client(receiveBuffer: 4096)
            try await client.send(requests)
            #expect(try await client.head().status == 200)
            return client
        }
    }

    /// No answer is large, but together they are more than the system takes.
    @Test func aClientThatTakesNoneOfManySmallAnswersIsCut() async throws {
        let configuration = Self.configuration(.errors) { $0.http.idleTimeout = LiveServer.shortTime }
        try await LiveServer.run(configuration: configuration) { server in
            let one = TestRequest("GET", "/stores").bytes
            let client = try await Self.send((0..<1000).flatMap { _ in one }, to: server)
            try await server.log.line(with: "request cut")
            let lines = try server.log.accessLines()
            #expect(lines.map { $0["route"] } == ["/stores"])
            #expect(lines.first?["level"] == "warning")
            withExtendedLifetime(client) {}
        }
    }

    @Test(arguments: LogFormat.allCases)
    func textsOfClientsAreEscapedAndBounded(_ format: LogFormat) async throws {
        try await LiveServer.run(configuration: Self.configuration(.all, format)) { server in
            let client = try server.client()
            // A tab, a C1 control character, an override of the direction, bytes that are not UTF-8, and too much.
            let hostile =
                Array("a\t\u{9b}2J\u{202e}\"\\".utf8) + [0xFF, 0xC0] + Array(repeating: UInt8(ascii: "x"), count: 5000)
            let start = "\"} 2026-11-23 info forged=1"
            var bytes = Array("TR'ICK /nothing HTTP/1.1\r\nHost: localhost\r\nForwarded: \(start)".utf8) + hostile
            bytes += Array("\r\nUser-Agent: ".utf8) + hostile + Array("\r\n\r\n".utf8)
            try await client.send(bytes)
            #expect(try await client.response().status == 404)
            let line = try #require(server.log.text.split(separator: "\n").first { $0.contains("request") })
            #expect(line.utf8.count < 1500)
            #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value) })
            #expect(!line.unicodeScalars.contains("\u{202e}"))
            guard format == .json else { return }
            let entry = try #require(try server.log.accessLines().first)
            #expect(entry["method"] == "TR'ICK")
            #expect(entry["route"] == "other")
            let agent = try #require(entry["userAgent"]?.asString)
            #expect(agent.hasPrefix("a\t\u{9b}2J\u{202e}\"\\\u{FFFD}"))
            #expect((250...260).contains(agent.utf8.count))
            #expect(entry["forwarded"]?.asString?.hasPrefix(start) == true)
        }
    }

    /// A request is known by its head, whatever becomes of its body.
    @Test(arguments: [
        ("Content-Length: 99999999\r\n\r\n", 413), ("Transfer-Encoding: chunked\r\n\r\nfffffff\r\n", 413),
        ("Transfer-Encoding: chunked\r\n\r\nno number\r\n", 400), ("Transfer-Encoding: gzip, chunked\r\n\r\n", 501),
        ("Content-Length: 9\r\nExpect: tea\r\n\r\n", 417), ("Content-Length: 9\r\n\r\n{", 408),
    ])
    func aRequestThatIsRefusedBeforeItsBodyHasItsRoute(_ rest: String, _ status: Int) async throws {
        let configuration = Self.configuration(.all) { $0.http.bodyTimeout = .milliseconds(50) }
        try await LiveServer.run(configuration: configuration, logging: .error) { server in
            let session = try await server.session()
            let targets = ["/sessions", session.path + "/actions", "/nowhere"]
            for target in targets {
                let client = try server.client()
                try await client.send("POST \(target) HTTP/1.1\r\nHost: localhost\r\nUser-Agent: test\r\n\(rest)")
                #expect(try await client.response().status == status)
            }
            let lines = try server.log.accessLines().dropFirst()
            #expect(lines.map { $0["route"] } == ["/sessions", "/sessions/{id}/actions", "other"])
            #expect(lines.map { $0["session"] } == [nil, .string(Fingerprint.of(session.id)), nil])
            for line in lines {
                #expect(line["method"] == "POST" && line["status"] == .integer(status))
                #expect(line["userAgent"] == "test")
            }
            let counted = try Exposition(try await server.get("/metrics")).samples
            for route in ["/sessions", "/sessions/{id}/actions", "other"] {
                let labels = #"route="\#(route)",method="POST",status="\#(status / 100)xx""#
                #expect(counted["storehouse_http_request_duration_seconds_count{\(labels)}"] == 1)
            }
        }
    }

    @Test func aProxyNamesTheClientAlsoOfWhatIsNoRequest() async throws {
        let configuration = Self.configuration(.all) { $0.http.trustedProxies = ["127.0.0.1"] }
        try await LiveServer.run(configuration: configuration) { server in
            let fields = "Host: localhost\r\nUser-Agent: test\r\nX-Forwarded-For: 203.0.113.7\r\n"
            for text in ["GET /healthz HTTP/1.1\r\n\(fields)\r\n", "GET / HTTP/1.1\r\n\(fields)bad line\r\n\r\n"] {
                let client = try server.client()
                try await client.send(text)
                _ = try await client.response()
            }
            let lines = try server.log.accessLines()
            #expect(lines.map { $0["status"] } == [200, 400])
            #expect(lines.map { $0["route"] } == ["/healthz", "other"])
            for line in lines {
                #expect(line["client"] == "203.0.113.7")
                #expect(line["forwarded"] == "203.0.113.7")
                #expect(line["userAgent"] == "test")
            }
        }
    }
}

extension LogLines {
    /// The access log of a route, or of all of them. It must be JSON.
    func accessLines(_ route: String? = nil) throws -> [JSONObject] {
        try text.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }.compactMap(\.asObject)
            .filter { ["request", "request cut"].contains($0["message"]?.asString) }
            .filter { route == nil || $0["route"]?.asString == route }
    }
}
