import JSON
import RemoteServices
import StorehouseServer
import Stores
import StoresTesting
import Testing

/// The events of effects, on streams that request them.
@Suite struct EffectStreamTests {
    @Test func anEffectStartsAfterItsCommitAndEndsBeforeItsResult() async throws {
        let remote = ScriptedRemoteClient()
        try await TestAPI.run(animal: remote) { api in
            let session = try await api.session("animal")
            let events = try await session.events(query: "?effects=true")
            _ = try await events.state()
            _ = try await session.dispatch("animal/fetchAnimal")
            #expect(try await events.state().revision == 1)
            let started = try await events.effect()
            #expect(started == ["effect": "animal.fetch", "phase": "started", "cause": 1])
            remote.reply(#"{"animal":"Cat"}"#)
            let succeeded = try await events.effect()
            #expect(succeeded.asObject?.names == ["effect", "phase", "cause", "duration"])
            #expect(succeeded["phase"] == "succeeded")
            #expect(succeeded["cause"] == 1)
            #expect(succeeded["duration"]?.asInteger ?? -1 >= 0)
            #expect(try await events.state().state?["animal"]?["currentAnimal"] == "Cat")
        }
    }

    @Test func aFailedEffectHasACode() async throws {
        let remote = ScriptedRemoteClient()
        try await TestAPI.run(animal: remote) { api in
            let session = try await api.session()
            let events = try await session.events(query: "?effects=true&select=/animal/error/code")
            #expect(try await events.state().state == .null)
            let replies: [(ScriptedRemoteClient.Reply, String)] = [
                (.failure(RemoteFailure(.timeout, "")), "timeout"),
                (.success(RemoteResponse(status: 500)), "bad-status"),
                (.success(RemoteResponse(status: 200)), "bad-body"),
            ]
            for (reply, code) in replies {
                _ = try await session.dispatch("animal/fetchAnimal")
                remote.reply(reply)
                let phases = try await events.items(upToState: .string(code))
                #expect(phases.map { $0["phase"] } == ["started", "failed"])
                #expect(phases.last?["code"] == .string(code))
            }
        }
    }

    @Test func aCancellationComesAfterTheCommitThatCancels() async throws {
        try await TestAPI.run { api in
            let session = try await api.session("animal")
            let events = try await session.events(query: "?effects=true")
            _ = try await events.state()
            _ = try await session.dispatch("animal/fetchAnimal")
            #expect(try await events.state().revision == 1)
            #expect(try await events.effect()["phase"] == "started")
            _ = try await session.dispatch("animal/cancelFetch")
            #expect(try await events.state().revision == 2)
            let cancelled = try await events.effect()
            #expect(cancelled["phase"] == "cancelled")
            #expect(cancelled["cause"] == 1)
            _ = try await session.dispatch("animal/fetchAnimal")
            #expect(try await events.state().revision == 3)
            #expect(try await events.effect()["phase"] == "started")
            #expect(try await session.delete().status == 204)
            #expect(try await events.effect()["phase"] == "cancelled")
            #expect(try await events.event()?.name == "closed")
        }
    }

    @Test func effectsOfABatchComeAfterItsEvent() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let events = try await session.events(query: "?effects=true")
            _ = try await events.state()
            _ = try await session.post([
                ["type": "animal/fetchAnimal"], ["type": "animal/fetchAnimal"], ["type": "counter/increment"],
            ])
            #expect(try await events.state().revision == 3)
            var effects: [[JSONValue?]] = []
            for _ in 0..<3 {
                let effect = try await events.effect()
                effects.append([effect["phase"], effect["cause"]])
            }
            #expect(effects == [["started", 1], ["cancelled", 1], ["started", 2]])
        }
    }

    /// The service is unreachable: each attempt is an event with its number and the name of the service.
    @Test func retriesOfARemoteCallAreSent() async throws {
        // No process listens on port 1, and no test server can get it.
        try await RealRemotes.run(url: "http://127.0.0.1:1") { animal, auth in
            try await TestAPI.run(animal: animal, auth: auth) { api in
                let session = try await api.session("animal")
                let events = try await session.events(query: "?effects=true&select=/animal/error/code")
                _ = try await events.state()
                _ = try await session.dispatch("animal/fetchAnimal")
                let effects = try await events.items(upToState: "unreachable")
                #expect(effects.map { $0["phase"] } == ["started", "retrying", "retrying", "failed"])
                #expect(effects.map { $0["attempt"] } == [nil, 2, 3, nil])
                #expect(effects.map { $0["code"] } == [nil, "unreachable", "unreachable", "unreachable"])
                #expect(effects.dropFirst().allSatisfy { $0["upstream"] == "animal" })
                #expect(effects.map { $0["duration"] != nil } == [false, false, false, true])
                try await api.log.line(with: "debug effect phase=failed store=animal effect=animal.fetch cause=1 ")
                try await api.log.line(with: " upstream=animal attempt=3 code=unreachable ")
            }
        }
    }

    /// The kind has an asynchronous reducer. Wrong credentials are a response, not a failure of the call.
    @Test(arguments: [("some password", "authenticated"), ("a wrong one", "failure")])
    func aResponseOfTheServiceIsASuccess(_ password: String, _ status: String) async throws {
        try await RealRemotes.run { animal, auth in
            try await TestAPI.run(animal: animal, auth: auth) { api in
                let session = try await api.session("login")
                _ = try await session.dispatch("login/enteringCredential", ["username": "some username"])
                _ = try await session.dispatch("login/enteringCredential", ["password": .string(password)])
                let events = try await session.events(query: "?effects=true&select=/login/status")
                #expect(try await events.state().state == "validCredentials")
                _ = try await session.dispatch("login/authenticate")
                #expect(try await events.state().state == "authenticating")
                let effects = try await events.items(upToState: .string(status))
                #expect(effects.map { $0["phase"] } == ["started", "succeeded"])
                #expect(effects.last?["upstream"] == "auth")
            }
        }
    }

    @Test func effectsAreSentOnlyOnRequest() async throws {
        let remote = ScriptedRemoteClient()
        try await TestAPI.run(animal: remote) { api in
            let session = try await api.session("animal")
            let silent = [try await session.events(), try await session.events(query: "?effects=false")]
            let events = try await session.events(query: "?effects=true")
            for stream in silent + [events] { _ = try await stream.state() }
            _ = try await session.dispatch("animal/fetchAnimal")
            remote.reply(#"{"animal":"Cat"}"#)
            for stream in silent {
                #expect(try await stream.state().revision == 1)
                #expect(try await stream.state().revision == 2)
            }
            #expect(try await events.items(upToState: nil).count == 2)
        }
    }

    @Test(arguments: ["1", "yes", "TRUE", "", "true,false"])
    func anythingElseIsRefused(_ value: String) async throws {
        try await TestAPI.run { api in
            let refused = try await api.session().read("/events?effects=\(value)")
            #expect(refused.status == 400)
            #expect(refused.code == "malformed-request")
        }
    }

    /// Pending bytes are bounded, so events of effects are dropped for a slow client. Its states stay in order.
    @Test func effectsAreDroppedOnlyForSlowReaders() async throws {
        try await LiveServer.run(configuration: .with { $0.streams.bufferBytes = 4096 }) { server in
            let session = try await server.session()
            let title = JSONValue.string(String(repeating: "x", count: 500))
            _ = try await session.post(
                .array(Array(repeating: ["type": "tasks/add", "payload": ["title": title]], count: 100)))
            let slow = try await session.events(query: "?effects=true", receiveBuffer: 4096)
            let fast = try await session.events(query: "?effects=true&select=/settings")
            _ = try await fast.state()
            let client = try server.client()
            let causes = stride(from: 101, to: 501, by: 2)
            for cause in causes {
                let batch: JSONValue = [["type": "counter/increment"], ["type": "animal/fetchAnimal"]]
                let request = TestRequest("POST", session.path + "/actions", json: batch)
                #expect(try await client.exchange(request).status == 200)
                if cause > 101 { #expect(try await fast.effect()["phase"] == "cancelled") }
                let started = try await fast.effect()
                #expect(started == ["effect": "animal.fetch", "phase": "started", "cause": .integer(cause + 1)])
            }
            var shown: [StreamEvent] = []
            repeat { shown.append(try #require(try await slow.event())) } while shown.last?.revision != 500
            let revisions = shown.compactMap(\.revision)
            #expect(zip(revisions, revisions.dropFirst()).allSatisfy { $0 < $1 })
            #expect(shown.filter { $0.name == "effect" }.count < 399)
        }
    }
}

extension EventReader {
    /// The data of the next event, which must be of an effect.
    func effect() async throws -> JSONValue {
        guard let event = try await event(), event.name == "effect", event.id == nil else {
            throw Wire.Failure.malformed("no effect")
        }
        return event.data
    }

    /// The data of the effect events up to the state with that value; without a value, up to a success.
    func items(upToState value: JSONValue?) async throws -> [JSONValue] {
        var effects: [JSONValue] = []
        while let event = try await event() {
            if event.name == "effect" { effects.append(event.data) } else if event.state == value { return effects }
            if value == nil, effects.last?["phase"] == "succeeded" { return effects }
        }
        throw Wire.Failure.malformed("no such state")
    }
}
