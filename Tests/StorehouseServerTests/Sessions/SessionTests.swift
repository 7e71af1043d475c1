import JSON
import Observability
import StorehouseServer
import StoresTesting
import Testing

/// Creating, reading and ending sessions.
@Suite struct SessionTests {
    @Test func creatingAnswersWithTheLocationAndTheDocument() async throws {
        try await TestAPI.run { api in
            let response = try await api.post("/sessions", json: ["store": "betting"])
            #expect(response.status == 201)
            #expect(response["content-type"] == "application/json")
            #expect(response.taggedRevision == 0)
            let id = try #require(response[json: "id"]?.asString)
            #expect(response["location"] == "/sessions/\(id)")
            #expect(id.utf8.count == 22)
            #expect(id.utf8.allSatisfy { "-_".utf8.contains($0) || Character(Unicode.Scalar($0)).isASCIIWord })
            #expect(response[json: "store"] == "betting")
            #expect(response[json: "revision"] == 0)
            #expect(response.at("/state/counter/count") == 0)
            #expect(response.at("/state/betslip/selections") == [])
        }
    }

    @Test func theDocumentHasEveryFieldOfTheContract() async throws {
        let clock = ManualClock(1_700_000_000_123)
        try await TestAPI.run(clock: clock.clock, configuration: .with { $0.sessions.idleTimeout = .seconds(60) }) {
            api in
            let session = try await api.session("planner")
            clock.advance(by: 2000)
            let document = try await session.read()
            #expect(document.status == 200)
            #expect(
                document.json.asObject?.names == [
                    "id", "store", "revision", "createdAt", "lastActiveAt", "expiresAt", "subscribers", "effects",
                    "mark", "stateBytes", "oldestRevision", "links",
                ])
            #expect(document[json: "createdAt"] == "2023-11-14T22:13:20.123Z")
            #expect(document[json: "lastActiveAt"] == "2023-11-14T22:13:22.123Z")
            #expect(document[json: "expiresAt"] == "2023-11-14T22:14:22.123Z")
            #expect(document[json: "subscribers"] == 0)
            #expect(document[json: "effects"] == [])
            let links = try #require(document[json: "links"]?.asObject)
            #expect(links["self"] == .string(session.path))
            #expect(links["state"] == .string(session.path + "/state"))
            #expect(links["actions"] == .string(session.path + "/actions"))
            #expect(links["sync"] == .string(session.path + "/sync"))
            #expect(links["events"] == .string(session.path + "/events"))
            #expect(links["shares"] == .string(session.path + "/shares"))
        }
    }

    @Test(arguments: [false, true])
    func theDocumentSaysHowMuchOfTheSessionThereIs(_ isDurable: Bool) async throws {
        let body: @Sendable (TestAPI) async throws -> Void = { api in
            let created = try await api.post("/sessions", json: ["store": "app"])
            let session = LiveSession(server: api, path: try #require(created["location"]))
            #expect(created[json: "mark"] == .string(Fingerprint.of(session.id)))
            #expect(created[json: "oldestRevision"] == 0)
            for _ in 0..<10 {
                let increment: JSONValue = ["type": "counter/increment"]
                _ = try await session.post(.array(Array(repeating: increment, count: 100)))
                let document = try await session.read()
                #expect(document[json: "mark"] == .string(Fingerprint.of(session.id)))
                let state = try await session.read("/state")[json: "state"]
                #expect(document[json: "stateBytes"] == (state?.encoded().count).map(JSONValue.integer))
            }
            // The log is cut in the background, and once more between two requests.
            try await waitUntil {
                let oldest = try #require(try await session.read()[json: "oldestRevision"]?.asInteger)
                guard oldest >= 800 else { return false }
                let there = try await session.read("/state?revision=\(oldest)")
                let gone = try await session.read("/state?revision=\(oldest - 1)")
                return there.status == 200 && gone.code == "revision-gone"
            }
        }
        let configuration = Configuration.with { $0.storage.keepCommits = 100 }
        if isDurable {
            try await DurableServer().runAPI(configuration: configuration, body)
        } else {
            try await TestAPI.run(configuration: configuration, body)
        }
    }

    @Test func theOldestRevisionIsKnownAfterTheSessionHasLeftMemory() async throws {
        try await DurableServer().runAPI(configuration: .with { $0.sessions.maxResident = 1 }) { api in
            let session = try await api.session()
            _ = try await session.post(.array(Array(repeating: ["type": "counter/increment"], count: 100)))
            _ = try await api.session()
            try await api.hibernates(to: 1)
            let document = try await session.read()
            #expect(document[json: "revision"] == 100 && document[json: "oldestRevision"] == 0)
        }
    }

    @Test func runningEffectsAreListedUntilTheyEnd() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            _ = try await session.dispatch("animal/fetchAnimal")
            #expect(try await session.read()[json: "effects"] == ["animal.fetch"])
            _ = try await session.dispatch("animal/cancelFetch")
            #expect(try await session.read()[json: "effects"] == [])
        }
    }

    @Test(arguments: [
        TestRequest("POST", "/sessions"), TestRequest("POST", "/sessions", body: []),
        TestRequest("POST", "/sessions", json: [:]),
        TestRequest("POST", "/sessions", [("Content-Type", "application/json")], body: []),
        TestRequest("POST", "/sessions", [("Idempotency-Key", "\"k\"")], json: ["store": "app"]),
    ])
    func theDefaultStoreNeedsNoBody(_ request: TestRequest) async throws {
        try await TestAPI.run { api in
            let response = try await api.send(request)
            #expect(response.status == 201)
            #expect(response[json: "store"] == "app")
        }
    }

    @Test func anotherDefaultStoreCanBeConfigured() async throws {
        try await TestAPI.run(configuration: .with { $0.sessions.defaultStore = "planner" }) { api in
            let response = try await api.send(TestRequest("POST", "/sessions"))
            #expect(response[json: "store"] == "planner")
        }
    }

    @Test func idempotencyKeysAreIgnoredForCreation() async throws {
        try await TestAPI.run { api in
            let request = TestRequest("POST", "/sessions", [("Idempotency-Key", "\"k\"")], json: ["store": "app"])
            let ids = [try await api.send(request), try await api.send(request)].map { $0[json: "id"] }
            #expect(ids[0] != ids[1])
        }
    }

    @Test func aDeletedSessionIsGoneEverywhere() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let deleted = try await session.delete()
            #expect(deleted.status == 204)
            let answers = [
                try await session.read(), try await session.read("/state"), try await session.increment(),
                try await session.delete(), try await session.read("/state?select=nonsense"),
                try await api.send(TestRequest("HEAD", session.path)),
            ]
            #expect(answers.map(\.status) == [410, 410, 410, 410, 410, 410])
            #expect(answers.dropLast().map(\.code) == Array(repeating: "session-ended", count: 5))
            // This status stops a browser's EventSource for good.
            #expect(try await session.read("/events").status == 204)
        }
    }

    @Test func deletingCancelsRunningEffects() async throws {
        let remote = ScriptedRemoteClient()
        try await TestAPI.run(animal: remote) { api in
            let session = try await api.session("animal")
            _ = try await session.dispatch("animal/fetchAnimal")
            await remote.called(times: 1)
            _ = try await session.delete()
            await remote.cancelled(times: 1)
        }
    }

    @Test func anUnusedSessionExpires() async throws {
        let clock = ManualClock()
        try await TestAPI.run(clock: clock.clock, configuration: .with { $0.sessions.idleTimeout = .seconds(60) }) {
            api in
            let session = try await api.session()
            clock.advance(by: 59_999)
            #expect(try await session.read("/state").status == 200)
            clock.advance(by: 59_999)
            #expect(try await session.increment().status == 200)
            clock.advance(by: 60_000)
            #expect(try await session.read().code == "session-ended")
            #expect(try await session.read("/events").status == 204)
        }
    }

    @Test func aSessionThatWasNeverUsedExpiresSooner() async throws {
        let clock = ManualClock()
        try await TestAPI.run(clock: clock.clock) { api in
            let (unused, read, watched) = (
                try await api.session(), try await api.session(), try await api.session()
            )
            #expect(try await read.read("/state").status == 200)
            let events = try await watched.events()
            _ = try await events.state()
            clock.advance(by: 599_999)
            let late = try await api.session()
            clock.advance(by: 1)
            #expect(try await unused.read().code == "session-ended")
            #expect(try await read.read().status == 200)
            #expect(try await watched.read().status == 200)
            clock.advance(by: 599_998)
            #expect(try await late.increment().status == 200)
            clock.advance(by: 80_000_000)
            #expect(try await late.read().status == 200)
        }
    }

    @Test func theTimeUntilThereIsRoomIsTrue() async throws {
        let clock = ManualClock()
        try await TestAPI.run(clock: clock.clock, configuration: .with { $0.sessions.max = 2 }) { api in
            func retryAfter() async throws -> String? {
                try await api.send(TestRequest("POST", "/sessions"))["retry-after"]
            }
            let first = try await api.session()
            clock.advance(by: 60_000)
            let second = try await api.session()
            // An unused session lives for 600 seconds, and is ended at most 10 seconds later.
            #expect(try await retryAfter() == "550")
            #expect(try await first.increment().status == 200)
            #expect(try await second.increment().status == 200)
            // Both live for a day now.
            #expect(try await retryAfter() == "3600")
        }
    }

    @Test func anOpenStreamAndItsEndCountAsUse() async throws {
        let clock = ManualClock()
        let configuration = Configuration.with {
            $0.sessions.idleTimeout = .seconds(60)
            $0.log.access = .all
        }
        try await TestAPI.run(clock: clock.clock, configuration: configuration) { api in
            let session = try await api.session()
            do {
                let events = try await session.events()
                _ = try await events.state()
                clock.advance(by: 600_000)
                #expect(try await session.read()[json: "subscribers"] == 1)
                clock.advance(by: 59_000)
                withExtendedLifetime(events) {}
            }
            // Not read before the stream is gone: reading is use.
            try await api.log.line(with: "route=/sessions/{id}/events")
            clock.advance(by: 59_000)
            #expect(try await session.read().status == 200)
        }
    }

    @Test func aSessionExpiresWithoutARequest() async throws {
        try await LiveServer.run(
            configuration: .with {
                $0.sessions.idleTimeout = .milliseconds(50)
                $0.sessions.max = 1
            }
        ) { server in
            let session = try await server.session()
            // Its place is free only once it is ended.
            _ = try await server.eventually(TestRequest("POST", "/sessions")) { $0.status == 201 }
            #expect(try await session.read().code == "session-ended")
        }
    }

    @Test func sessionsOverTheCapAreRefusedUntilOneEnds() async throws {
        try await TestAPI.run(configuration: .with { $0.sessions.max = 2 }) { api in
            let first = try await api.session()
            _ = try await api.session()
            let refused = try await api.send(TestRequest("POST", "/sessions"))
            #expect(refused.status == 429)
            #expect(refused.code == "too-many-sessions")
            #expect(refused["retry-after"].flatMap(Int.init) ?? 0 > 0)
            _ = try await first.delete()
            #expect(try await api.send(TestRequest("POST", "/sessions")).status == 201)
        }
    }

    @Test(arguments: [
        "AAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAB", "x", "%2F", String(repeating: "A", count: 3000),
    ])
    func anIdThatNeverWasIsUnknown(_ id: String) async throws {
        try await TestAPI.run { api in
            for below in ["", "/state", "/events"] {
                let response = try await api.get("/sessions/\(id)\(below)")
                #expect(response.status == 404)
                #expect(response.code == "no-such-session")
            }
            #expect(try await api.post("/sessions/\(id)/actions", json: ["type": "a/b"]).code == "no-such-session")
            #expect(try await api.delete("/sessions/\(id)").code == "no-such-session")
        }
    }
}

extension Character {
    fileprivate var isASCIIWord: Bool { isASCII && (isLetter || isNumber) }
}
