import JSON
import Sessions
import StorehouseServer
import Testing

/// `POST …/signals` and `?signals=true`: messages that are not kept.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct SignalTests {
    private static let cursor: JSONValue = ["type": "cursor", "payload": ["x": 3, "y": [1.5, nil, "é"]]]

    @Test func everyStreamThatAsksGetsItTheSendersOwnToo() async throws {
        try await LiveServer.run { server in
            let session = try await server.session()
            let own = try await session.events(query: "?signals=true")
            let other = try await session.events(query: "?signals=true&select=/counter")
            let plain = try await session.events(query: "?select=/counter")
            for events in [own, other, plain] { _ = try await events.state() }
            let answer = try await server.post(session.path + "/signals", json: Self.cursor)
            #expect(answer.status == 204 && answer.body.isEmpty)
            for events in [own, other] {
                let event = try #require(try await events.event())
                #expect(event.name == "signal" && event.id == nil)
                #expect(event.data.asObject?.names == ["type", "payload", "actor", "at"])
                #expect(event.data["type"] == "cursor" && event.data["payload"] == Self.cursor["payload"])
                #expect(event.data["actor"] == ["kind": "anonymous", "roles": []])
                let at = try #require(event.data["at"]?.asString)
                #expect(at.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
            }
            _ = try await session.increment()
            #expect(try await plain.state().revision == 1)
            #expect(try await own.state().revision == 1)
        }
    }

    @Test func itIsCommittedStoredAndLoggedNowhere() async throws {
        try await LiveServer.run(configuration: .with { $0.log.access = .all }) { server in
            let session = try await server.session()
            let events = try await session.events(query: "?signals=true&actions=true")
            let id = try #require(try await events.state().id)
            let signal: JSONValue = ["type": "secret-type", "payload": "secret-payload"]
            #expect(try await server.post(session.path + "/signals", json: signal).status == 204)
            #expect(try await events.event()?.name == "signal")
            #expect(try await session.revision() == 0)
            #expect(try await session.read("/actions").json["actions"] == [])
            #expect(try await session.read("/actions?refused=true").json["actions"] == [])
            #expect(!server.log.text.contains("secret"))
            // A stream that comes back gets nothing again.
            let again = try await session.events(query: "?signals=true&actions=true", [("Last-Event-ID", id)])
            _ = try await session.increment()
            #expect(try await again.event()?.name == "action")
        }
    }

    @Test func thePayloadMayBeAnythingOrMissing() async throws {
        try await LiveServer.run { server in
            let session = try await server.session()
            let events = try await session.events(query: "?signals=true")
            _ = try await events.state()
            for payload: JSONValue in [nil, true, 0, "", [], [:], "\u{2028}\r\n\ndata: x", [[[["deep"]]]]] {
                let body: JSONValue = ["type": "t", "payload": payload]
                #expect(try await server.post(session.path + "/signals", json: body).status == 204)
                #expect(try await events.event()?.data["payload"] == payload)
            }
            #expect(try await server.post(session.path + "/signals", json: ["type": "t"]).status == 204)
            #expect(try await events.event()?.data["payload"] == .null)
        }
    }

    @Test(arguments: ["\u{202e}", "\u{2066}", "\r\n", "\u{1b}[2J", "\u{2028}"])
    func aTypeThatControlsTheTextAroundItIsRefused(_ control: String) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let answer = try await api.post(session.path + "/signals", json: ["type": .string("cursor" + control)])
            #expect(answer.status == 422 && answer.code == "invalid-payload")
            #expect(answer.json["errors"]?.asArray?.map { $0["pointer"] } == ["/type"])
        }
    }

    @Test func theActorIsTheOneOfTheToken() async throws {
        try await LiveServer.run(configuration: TestTokens.configuration()) { server in
            let path = try await server.sessionPath(of: "ada")
            let ada = TestTokens.field(of: "ada", claims: ["name": "Ada"], ["roles": ["host"]])
            let events = try await LiveSession(server: server, path: path).events(query: "?signals=true", ada)
            _ = try await events.state()
            #expect(try await server.post(path + "/signals", ada, json: Self.cursor).status == 204)
            let actor = try await events.event()?.data["actor"]
            #expect(actor == ["kind": "user", "id": "ada", "name": "Ada", "roles": ["host"]])
            // A client cannot say who it is.
            let forged: JSONValue = ["type": "t", "actor": ["kind": "user", "id": "bob"]]
            #expect(try await server.post(path + "/signals", ada, json: forged).code == "invalid-payload")
            #expect(try await server.post("/sessions/me/signals", ada, json: Self.cursor).status == 204)
        }
    }

    // MARK: Refusals

    @Test(arguments: [
        ("{}", 422, "invalid-payload"), (#"{"type":""}"#, 422, "invalid-payload"),
        (#"{"type":7}"#, 422, "invalid-payload"), (#"{"type":"t","more":1}"#, 422, "invalid-payload"),
        ("[]", 422, "invalid-payload"), ("", 400, "malformed-json"), ("{", 400, "malformed-json"),
        (#"{"type":"\#(String(repeating: "x", count: 129))"}"#, 422, "invalid-payload"),
        (#"{"type":"\#(String(repeating: "x", count: 4096))"}"#, 413, "body-too-large"),
    ])
    func aBadBodyIsRefused(_ body: String, _ status: Int, _ code: String) async throws {
        try await LiveServer.run { server in
            let session = try await server.session()
            var request = TestRequest("POST", session.path + "/signals", [("Content-Type", "application/json")])
            request.body = Array(body.utf8)
            let answer = try await server.send(request)
            #expect(answer.status == status && answer.code == code, "\(body.prefix(40))")
        }
    }

    @Test func aBodyMayHaveFourKibibytes() async throws {
        try await LiveServer.run { server in
            let session = try await server.session()
            let events = try await session.events(query: "?signals=true")
            _ = try await events.state()
            let head = #"{"type":"t","payload":""#
            let text = String(repeating: "x", count: 4096 - head.utf8.count - 2)
            for (more, status) in [("", 204), ("x", 413)] {
                var request = TestRequest("POST", session.path + "/signals", [("Content-Type", "application/json")])
                request.body = Array((head + text + more + "\"}").utf8)
                #expect(try await server.send(request).status == status)
            }
            #expect(try await events.event()?.data["payload"] == .string(text))
        }
    }

    @Test func anotherMethodAndAnotherTypeAreRefused() async throws {
        try await LiveServer.run { server in
            let session = try await server.session()
            for method in ["GET", "HEAD", "PUT", "DELETE"] {
                let answer = try await server.send(TestRequest(method, session.path + "/signals"))
                #expect(answer.status == 405 && answer["allow"] == "POST, OPTIONS")
            }
            var request = TestRequest("POST", session.path + "/signals", [("Content-Type", "text/plain")])
            request.body = Array(Self.cursor.encoded())
            #expect(try await server.send(request).code == "unsupported-media-type")
            _ = try await session.delete()
            #expect(try await server.post(session.path + "/signals", json: Self.cursor).status == 410)
        }
    }

    @Test func itNeedsThePermissionToAct() async throws {
        try await LiveServer.run(configuration: TestTokens.configuration()) { server in
            let path = try await server.sessionPath(of: "ada")
            func send(_ fields: [(String, String)]) async throws -> TestResponse {
                try await server.post(path + "/signals", fields, json: Self.cursor)
            }
            #expect(try await send(TestTokens.field(of: "ada", ["may": ["act"]])).status == 204)
            #expect(try await send(TestTokens.field(of: "ada", ["may": ["read"]])).code == "forbidden")
            #expect(try await send(TestTokens.field(of: "bob")).code == "forbidden")
            #expect(try await send([]).status == 401)
        }
    }

    @Test func aShareSendsWithActAndSeesWithRead() async throws {
        try await LiveServer.run { server in
            let session = try await server.session()
            let share = try await session.share(["may": ["read", "act"], "select": "/counter"])
            #expect(share.answer.at("/links/signals") == .string(share.path + "/signals"))
            let events = try await share.events("?signals=true")
            _ = try await events.state()
            #expect(try await server.post(share.path + "/signals", json: Self.cursor).status == 204)
            #expect(try await events.event()?.data["actor"] == ["kind": "anonymous", "roles": []])
            let reader = try await session.share(["may": ["read"]])
            #expect(try await server.post(reader.path + "/signals", json: Self.cursor).code == "forbidden")
            // A revoked share neither sends nor sees.
            #expect(try await server.delete(session.path + "/shares").status == 204)
            #expect(try await server.post(share.path + "/signals", json: Self.cursor).code == "no-such-share")
            #expect(try await events.event()?.data["reason"] == "revoked")
        }
    }

    // MARK: Limits

    @Test func anActorHasItsOwnLimitInEachSession() async throws {
        let clock = ManualClock()
        let configuration = Configuration.with { $0.limits.signals = .init(rate: 0.5, burst: 2) }
        try await LiveServer.run(clock: clock.clock, configuration: configuration) { server in
            let (one, two) = (try await server.session(), try await server.session())
            func send(_ session: LiveSession) async throws -> TestResponse {
                try await server.post(session.path + "/signals", json: Self.cursor)
            }
            for _ in 0..<2 { #expect(try await send(one).status == 204) }
            let refused = try await send(one)
            #expect(refused.code == "rate-limited" && refused["retry-after"] == "2")
            #expect(try await send(two).status == 204)
            // The time that the refusal names is true.
            clock.advance(by: 1999)
            #expect(try await send(one)["retry-after"] == "1")
            clock.advance(by: 1)
            #expect(try await send(one).status == 204)
            // Actions do not count.
            #expect(try await one.increment().status == 200)
        }
    }

    @Test func otherActorsHaveOtherLimits() async throws {
        let configuration = TestTokens.configuration { $0.limits.signals = .init(rate: 0.001, burst: 1) }
        try await LiveServer.run(configuration: configuration) { server in
            let path = try await server.sessionPath(of: "ada")
            let listed: JSONValue = ["sessions": [.string(String(path.dropFirst("/sessions/".count)))]]
            for name in ["ada", "bob", "caf\u{e9}", "cafe\u{301}"] {
                let fields = TestTokens.field(of: name, claims: ["name": "The same"], listed)
                #expect(try await server.post(path + "/signals", fields, json: Self.cursor).status == 204)
                let named = TestTokens.field(of: name, claims: ["name": "Another"], listed)
                #expect(try await server.post(path + "/signals", named, json: Self.cursor).code == "rate-limited")
            }
        }
    }

    @Test func theLimitCanBeSwitchedOff() async throws {
        try await TestAPI.run(configuration: .with { $0.limits.signals = .init() }) { api in
            let session = try await api.session()
            for _ in 0..<100 {
                #expect(try await api.post(session.path + "/signals", json: Self.cursor).status == 204)
            }
        }
    }

    @Test func fortyAreAllowedAtOnceByDefault() async throws {
        try await TestAPI.run(clock: ManualClock().clock) { api in
            let session = try await api.session()
            for _ in 0..<40 {
                #expect(try await api.post(session.path + "/signals", json: Self.cursor).status == 204)
            }
            let refused = try await api.post(session.path + "/signals", json: Self.cursor)
            #expect(refused.status == 429 && refused["retry-after"] == "1")
        }
    }

    @Test func slowReadersMissSignalsAndNoState() async throws {
        let configuration = Configuration.with {
            $0.limits.signals = .init()
            $0.streams.bufferBytes = 1 << 16
        }
        try await LiveServer.run(configuration: configuration) { server in
            let session = try await server.session()
            let query = "?signals=true&changes=patch&select=/counter"
            let slow = try await session.events(query: query, receiveBuffer: 4096)
            let fast = try await session.events(query: "?signals=true&select=/none")
            for events in [slow, fast] { _ = try await events.state() }
            let client = try server.client()
            let payload = JSONValue.string(String(repeating: "x", count: 3900))
            let count = 2000
            for number in 0..<count {
                let body: JSONValue = ["type": .string("\(number)"), "payload": payload]
                let answer = try await client.exchange(TestRequest("POST", session.path + "/signals", json: body))
                #expect(answer.status == 204)
                #expect(try await fast.event()?.data["type"] == .string("\(number)"))
                if number.isMultiple(of: 100) { _ = try await session.increment() }
            }
            _ = try await session.increment()
            // No commit is missing, and none came as a state that skips others.
            var (revisions, signals): ([Int], Int) = ([], 0)
            while revisions.last != count / 100 + 1, let event = try await slow.event() {
                if event.name == "signal" {
                    signals += 1
                } else {
                    #expect(event.name == "patch" && event.skipped == nil)
                    revisions.append(try #require(event.revision))
                }
            }
            #expect(revisions == Array(1...count / 100 + 1))
            #expect(signals < count)
        }
    }

    @Test func aTerminalShowsSignalsAndPresenceAsLines() async throws {
        try await LiveServer.run { server in
            let session = try await server.session()
            let client = try server.client()
            let query = "?signals=true&presence=true&select=/counter/count"
            let request = TestRequest("GET", session.path + "/events" + query, [("Accept", "text/plain")])
            try await client.send(request.bytes)
            _ = try await client.head()
            var text = ""
            func line(with words: String) async throws {
                while !text.contains(words) {
                    let chunk = try #require(try await client.chunk())
                    text += String(decoding: chunk, as: UTF8.self)
                }
            }
            try await line(with: "Z #0 0\n")
            try await line(with: "Z (here: 1 anonymous)\n")
            let signal: JSONValue = ["type": "cursor", "payload": ["x": "\u{1b}[2J\u{202e}"]]
            #expect(try await server.post(session.path + "/signals", json: signal).status == 204)
            try await line(with: " (anonymous)\n")
            #expect(text.contains("[2J") && !text.contains("\u{1b}") && !text.contains("\u{202e}"))
            let other = try await session.events()
            try await line(with: "Z (2 anonymous)\n")
            withExtendedLifetime(other) {}
        }
    }

    @Test(arguments: ["signals=yes", "signals=", "signals=true&signals=true", "signal=true"])
    func anythingButTrueAndFalseIsRefused(_ query: String) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            #expect(try await session.read("/events?" + query).code == "malformed-request")
        }
    }
}
