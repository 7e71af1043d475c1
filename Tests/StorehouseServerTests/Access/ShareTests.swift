import HTTP
import JSON
import Observability
import Sessions
import StorehouseServer
import Testing

@Suite("A share")
struct ShareTests {
    @Test("is made with what it allows, shows, and until when, and works")
    func isMade() async throws {
        let clock = ManualClock()
        try await TestAPI.run(clock: clock.clock) { api in
            let session = try await api.session()
            let share = try await session.share(["may": ["act", "read"], "select": "/counter", "expiresIn": 60])
            #expect(share.answer["cache-control"] == "no-store" && share.answer["location"] == nil)
            #expect(share.answer.json.asObject?.names == ["share", "id", "may", "select", "expiresAt", "links"])
            #expect(share.answer.json["may"] == ["read", "act"] && share.answer.json["select"] == "/counter")
            #expect(share.answer.json["expiresAt"] == "2023-11-14T22:14:20.000Z")
            let links: JSONValue = [
                "state": .string(share.path + "/state"), "events": .string(share.path + "/events"),
                "actions": .string(share.path + "/actions"), "sync": .string(share.path + "/sync"),
                "signals": .string(share.path + "/signals"),
            ]
            #expect(share.answer.json["links"] == links)
            #expect(try await session.increment(2).status == 200)
            let state = try await share.state()
            #expect(state.json == ["revision": 1, "state": ["count": 2]] && state.taggedRevision == 1)
            #expect(try await share.state("?select=/count").json == ["revision": 1, "state": 2])
            #expect(try await share.state("?select=/nothing").json == ["revision": 1, "state": nil])
            let action = try await share.post(["type": "counter/increment"])
            #expect(action.json == ["revision": 2, "outcome": "committed", "state": ["count": 3]])
            #expect(action.taggedRevision == 2)
            #expect(try await session.revision() == 2)
            let stream = try await share.events()
            #expect(try await stream.state().data == ["revision": 2, "state": ["count": 3]])
        }
    }

    @Test("reads the whole state for an hour by default")
    func defaults() async throws {
        let clock = ManualClock()
        try await TestAPI.run(clock: clock.clock) { api in
            let session = try await api.session()
            for request in [
                TestRequest("POST", session.path + "/shares"), .init("POST", session.path + "/shares", json: [:]),
            ] {
                let share = try TestShare(try await api.send(request), of: api)
                #expect(share.answer.json["may"] == ["read"] && share.answer.json["select"] == "")
                #expect(share.answer.json["expiresAt"] == "2023-11-14T23:13:20.000Z")
                #expect(share.answer.json["links"]?.asObject?.names == ["state", "events"])
                #expect(try await share.state().json["state"] == (try await session.state()))
                #expect(try await share.state("?select=summary").at("/state/open") == 0)
                let refused = try await share.post(["type": "counter/increment"])
                #expect(refused.status == 403 && refused.code == "forbidden")
            }
            let actor = try await session.share(["may": ["act"]])
            #expect(actor.answer.json["links"]?.asObject?.names == ["actions", "sync", "signals"])
            #expect(try await actor.state().status == 403)
            #expect(try await api.get(actor.path + "/events").status == 403)
            #expect(try await actor.post(["type": "counter/increment"]).status == 200)
        }
    }

    @Test("shows a named selector, and parts of it")
    func namedSelector() async throws {
        try await TestAPI.run { api in
            let session = try await api.session("planner")
            let share = try await session.share(["select": "summary"])
            try await session.commitElsewhere()
            #expect(try await share.state().json["state"] == ["open": 1, "done": 0, "favorites": 0, "overdue": 0])
            #expect(try await share.state("?select=/open").json["state"] == 1)
            #expect(try await share.state("?select=favoriteTasks").code == "malformed-pointer")
            let stream = try await share.events("?select=/open")
            #expect(try await stream.state().state == 1)
            try await session.commitElsewhere()
            #expect(try await stream.state().state == 2)
        }
    }

    @Test("is refused if its body is wrong")
    func refusesBodies() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let wrong: [JSONValue] = [
                ["may": "read"], ["may": []], ["may": ["write"]], ["may": ["read", "delete"]], ["may": ["share"]],
                ["may": ["admin"]], ["may": [1]], ["expiresIn": 0], ["expiresIn": 2_592_001], ["expiresIn": "60"],
                ["expiresIn": 1.5], ["expiresIn": -1], ["select": 1], ["select": nil], ["selects": "/counter"], [], 1,
            ]
            for body in wrong {
                let response = try await api.post(session.path + "/shares", json: body)
                #expect(response.status == 422 && response.code == "invalid-payload", "\(body)")
                // The example fits each store.
                #expect(response.json["detail"]?.asString?.contains("/counter") == false)
            }
            for select in ["counter", "/a~2", "summary/open"] {
                let response = try await api.post(session.path + "/shares", json: ["select": .string(select)])
                #expect(response.status == 400 && response.code == "malformed-pointer", "\(select)")
            }
            let long = String(repeating: "/member", count: 1000)
            #expect(try await api.post(session.path + "/shares", json: ["select": .string(long)]).status == 422)
            #expect(try await api.post(session.path + "/shares", json: ["expiresIn": 2_592_000]).status == 201)
            let broken = TestRequest("POST", session.path + "/shares", body: Array("{".utf8))
            #expect(try await api.send(broken).code == "malformed-json")
            #expect(try await api.post("/sessions/nobody/shares", json: [:]).code == "no-such-session")
            #expect(try await api.send(TestRequest("PUT", session.path + "/shares", json: [:])).status == 405)
        }
    }

    @Test("is unknown with any other byte, shortened, lengthened, or of another server")
    func isAuthentic() async throws {
        try await TestAPI.run { api in
            let share = try await api.session().counterShare()
            let bytes = Array(share.text.utf8)
            for index in bytes.indices {
                var other = bytes
                other[index] = bytes[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
                let path = "/shared/\(String(decoding: other, as: UTF8.self))/state"
                let response = try await api.get(path)
                #expect(response.status == 404 && response.code == "no-such-share", "\(index)")
            }
            // The last character has bits that spell nothing.
            for digit in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_" {
                let other = share.text.dropLast() + String(digit)
                let status = try await api.get("/shared/\(other)/state").status
                #expect(status == (other == share.text ? 200 : 404))
            }
            let others = [
                String(share.text.dropLast()), share.text + "A", share.text + "=", "A", "me", share.text + share.text,
                String(share.text.reversed()), share.text.replacing("-", with: "%2B"),
                String(repeating: "A", count: 5000),
            ]
            for other in others where other != share.text {
                #expect(try await api.get("/shared/\(other)/state").code == "no-such-share", "\(other)")
            }
            for path in [
                "/shared", "/shared/", "/shared/\(share.text)", "/shared//state", "/shared/\(share.text)/actions/1",
            ] {
                #expect(try await api.get(path).status == 404)
            }
            try await TestAPI.run { other in
                let response = try await other.get(share.path + "/state")
                #expect(response.code == "no-such-share")
            }
        }
    }

    @Test("opens nothing but its five resources, and its text is no id")
    func opensNothingElse() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let share = try await session.counterShare()
            for below in ["", "/forks", "/shares", "/actions?after=0", "/log", "/state/x"] {
                let response = try await api.get(share.path + below)
                #expect([404, 405].contains(response.status), "\(below)")
            }
            for method in ["POST", "DELETE"] {
                #expect(try await api.send(TestRequest(method, share.path + "/shares")).status == 404)
            }
            #expect(try await api.get("/sessions/\(share.text)/state").status == 404)
            #expect(try await api.get(share.path + "/actions").status == 405)
            #expect(try await api.send(TestRequest("DELETE", share.path + "/state")).status == 405)
            for (name, allow) in [
                ("state", "GET, HEAD, OPTIONS"), ("events", "GET, OPTIONS"), ("actions", "POST, OPTIONS"),
                ("presence", "GET, HEAD, OPTIONS"), ("signals", "POST, OPTIONS"),
            ] {
                let response = try await api.send(TestRequest("OPTIONS", share.path + "/" + name))
                #expect(response.status == 204 && response["allow"] == allow)
            }
            #expect(try await api.send(TestRequest("HEAD", share.path + "/state")).status == 200)
            for query in ["revision=0", "revision=1", "revision=", "revision=x"] {
                #expect(try await share.state("?" + query).code == "malformed-request")
                #expect(try await share.post(["type": "counter/increment"], "?" + query).code == "malformed-request")
                #expect(try await api.get(share.path + "/events?" + query).code == "malformed-request")
            }
        }
    }

    @Test("expires, with its streams")
    func expires() async throws {
        let (clock, wall) = (ManualClock(), ManualClock(WallClock().now()))
        let configuration = Configuration.with { $0.streams.heartbeat = .milliseconds(50) }
        try await TestAPI.run(
            clock: WallClock(now: { wall.now }, steady: { clock.now }), configuration: configuration
        ) { api in
            let session = try await api.session()
            let share = try await session.share(["may": ["read", "act"], "expiresIn": 100])
            let stream = try await share.events()
            _ = try await stream.state()
            let other = try await session.events()
            _ = try await other.state()
            wall.advance(by: 99_000)
            #expect(try await share.state().status == 200)
            wall.advance(by: 1000)
            let closed = try #require(try await stream.event())
            #expect(closed.name == "closed" && closed.data == ["reason": "expired"])
            #expect(try await stream.item() == nil)
            for response in try await share.everything() where response.method != "HEAD" {
                #expect(response.status == 404 && (response.code == "no-such-share" || response.body.isEmpty))
            }
            // The session's own stream goes on.
            #expect(try await session.increment().status == 200)
            #expect(try await other.state().revision == 1)
        }
    }

    @Test("is revoked at once with all others of its session, and with their streams", arguments: [false, true])
    func isRevoked(isDurable: Bool) async throws {
        let body = { (api: TestAPI) async throws -> Void in
            let (session, untouched) = (try await api.session(), try await api.session())
            let shares = [try await session.counterShare(), try await session.share()]
            let foreign = try await untouched.counterShare()
            var streams: [EventReader] = []
            for share in shares { streams.append(try await share.events()) }
            let (own, other) = (try await session.events(), try await foreign.events())
            for stream in streams + [own, other] { _ = try await stream.state() }
            #expect(try await api.delete(session.path + "/shares").status == 204)
            for share in shares {
                for response in try await share.everything() {
                    #expect(response.status == 404 && (response.code == "no-such-share" || response.body.isEmpty))
                }
            }
            for stream in streams {
                let closed = try #require(try await stream.event())
                #expect(closed.name == "closed" && closed.data == ["reason": "revoked"])
                #expect(try await stream.item() == nil)
            }
            #expect(try await foreign.state().status == 200)
            let later = try await session.counterShare()
            #expect(try await later.state().status == 200)
            #expect(try await session.increment().status == 200)
            #expect(try await own.state().revision == 1)
            #expect(try await untouched.increment().status == 200)
            #expect(try await other.state().revision == 1)
            #expect(try await api.delete(session.path + "/shares").status == 204)
            #expect(try await later.state().status == 404)
        }
        if isDurable { try await DurableServer().runAPI(body) } else { try await TestAPI.run(body) }
    }

    @Test("that is revoked or unknown is not found, whatever else is wrong with the request", arguments: [false, true])
    func isNotFoundFirst(isDurable: Bool) async throws {
        let body = { (api: TestAPI) async throws -> Void in
            let session = try await api.session()
            let (reader, actor) = (
                try await session.share(["may": ["read"]]), try await session.share(["may": ["act"]])
            )
            func answers(_ path: String) async throws -> [Int] {
                let requests = [
                    TestRequest("POST", path + "/actions", json: ["type": "counter/increment"]),
                    .init("POST", path + "/actions", [("Content-Type", "text/plain")], body: Array("{".utf8)),
                    .init("POST", path + "/actions", [("Accept", "text/html")], json: [:]),
                    .init("POST", path + "/actions?dryrun=true", json: [:]), .init("GET", path + "/state"),
                    .init("GET", path + "/state?revision=1"), .init("GET", path + "/events?changes=x"),
                    .init("GET", path + "/state", [("Accept", "text/html")]), .init("DELETE", path + "/state"),
                    .init("GET", path + "/actions"), .init("PUT", path + "/events", json: [:]),
                ]
                var statuses: [Int] = []
                for request in requests { statuses.append(try await api.send(request).status) }
                return statuses
            }
            #expect(try await answers(reader.path) == [403, 403, 403, 403, 200, 400, 400, 406, 405, 405, 405])
            #expect(try await answers(actor.path) == [200, 415, 406, 400, 403, 403, 403, 403, 405, 405, 405])
            #expect(try await api.delete(session.path + "/shares").status == 204)
            let none = Array(repeating: 404, count: 11)
            for path in [reader.path, actor.path, "/shared/nobody", reader.path + "x"] {
                #expect(try await answers(path) == none)
            }
        }
        if isDurable { try await DurableServer().runAPI(body) } else { try await TestAPI.run(body) }
    }

    @Test("of an ended session is gone")
    func endsWithItsSession() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let share = try await session.counterShare()
            let stream = try await share.events()
            _ = try await stream.state()
            #expect(try await session.delete().status == 204)
            #expect(try await stream.event()?.data == ["reason": "session-ended"])
            for response in try await share.everything() {
                #expect(response.status == 410 && (response.code == "session-ended" || response.body.isEmpty))
            }
        }
    }

    @Test("survives restarts and hibernation, and stays revoked", arguments: [false, true])
    func outlivesProcess(isOnRedis: Bool) async throws {
        let file = try DurableServer(onRedis: isOnRedis)
        let configuration = Configuration.with { $0.sessions.maxResident = 1 }
        let (path, valid, revoked) = try await file.runAPI(configuration: configuration) { api in
            let session = try await api.session()
            let revoked = try await session.counterShare()
            #expect(try await api.delete(session.path + "/shares").status == 204)
            let valid = try await session.counterShare()
            #expect(try await valid.post(["type": "counter/increment"]).revision == 1)
            for _ in 0..<3 { try await session.commitElsewhere() }
            return (session.path, valid.path, revoked.path)
        }
        try await file.runAPI(configuration: configuration) { api in
            #expect(try await api.get(revoked + "/state").code == "no-such-share")
            #expect(try await api.get(valid + "/state").json == ["revision": 4, "state": ["count": 1]])
            for _ in 0..<3 { _ = try await api.session().increment() }
            try await api.hibernates(to: 1)
            #expect(try await api.get(valid + "/state").json == ["revision": 4, "state": ["count": 1]])
            #expect(try await api.get(revoked + "/state").status == 404)
            #expect(try await api.delete(path + "/shares").status == 204)
            #expect(try await api.get(valid + "/state").status == 404)
        }
        try await file.runAPI(configuration: configuration) { api in
            let response = try await api.get(valid + "/state")
            #expect(response.code == "no-such-share")
        }
    }

    @Test("is written and accepted below the base path")
    func basePath() async throws {
        try await TestAPI.run(configuration: .with { $0.http.basePath = "/base" }) { api in
            let created = try await api.post("/base/sessions", json: [:])
            let share = try await api.post(
                try #require(created["location"]) + "/shares", json: ["may": ["read", "act"], "select": "/counter"])
            let state = try #require(share.at("/links/state")?.asString)
            let actions = try #require(share.at("/links/actions")?.asString)
            let events = try #require(share.at("/links/events")?.asString)
            #expect(state.hasPrefix("/base/shared/"))
            #expect(try await api.get(state).json["state"] == ["count": 0])
            #expect(try await api.post(actions, json: ["type": "counter/increment"]).revision == 1)
            let client = try api.client()
            try await client.send(TestRequest("GET", events).bytes)
            #expect(try await EventReader(client).state().revision == 1)
        }
    }

    @Test("can be used by 1000 streams at once, which all end when it is revoked")
    func manyCopies() async throws {
        let configuration = Configuration.with { $0.streams.maxPerSession = 1000 }
        try await TestAPI.run(configuration: configuration, logging: .info) { api in
            let session = try await api.session()
            let share = try await session.counterShare()
            var streams: [EventReader] = []
            for _ in 0..<1000 { streams.append(try await share.events()) }
            for stream in streams { #expect(try await stream.state().revision == 0) }
            let refused = try await api.get(share.path + "/events")
            #expect(refused.status == 429 && refused.code == "too-many-streams")
            try await session.commitElsewhere()
            #expect(try await session.increment().status == 200)
            for stream in streams { #expect(try await stream.state().data == ["revision": 2, "state": ["count": 1]]) }
            #expect(try await api.delete(session.path + "/shares").status == 204)
            for stream in streams {
                #expect(try await stream.event()?.data == ["reason": "revoked"])
                #expect(try await stream.item() == nil)
            }
            #expect(try await session.read().json["subscribers"] == 0)
        }
    }
}
