import JSON
import StorehouseServer
import StoresTesting
import Testing

/// A share that is revoked while an action through it waits for effects shows nothing that came later.
///
/// The remote service answers only when a test says so: a wait that does not end by itself would last for an hour.
@Suite(.timeLimit(.minutes(10))) struct RevocationWhileWaitingTests {
    private static let hour = Configuration.with { $0.http.maxWait = .seconds(3600) }
    private static let fetch: JSONValue = ["type": "animal/fetchAnimal"]
    private static let waiting = [("Prefer", "wait=3600"), ("Idempotency-Key", "\"k\"")]

    @Test(arguments: ["", "/animal"])
    func theWaitEndsAtOnceWithTheAnswerOfTheActionItself(_ shown: String) async throws {
        let remote = ScriptedRemoteClient()
        try await TestAPI.run(animal: remote, configuration: Self.hour) { api in
            let session = try await api.session()
            let share = try await session.share(["may": ["read", "act"], "select": .string(shown)])
            async let answer = share.post(Self.fetch, "", Self.waiting)
            await remote.called(times: 1)
            #expect(try await session.increment().revision == 2)
            #expect(try await api.delete(session.path + "/shares").status == 204)
            let response = try await answer
            #expect(response.status == 200 && response.revision == 1 && response[json: "settled"] == false)
            #expect(response.at((shown.isEmpty ? "/state/animal" : "/state") + "/isLoading") == true)
            #expect(try await share.post(Self.fetch, "", Self.waiting).code == "no-such-share")
            // The action goes on: only its answer does not wait any more.
            remote.reply(#"{"animal":"Cat"}"#)
            try await waitUntil { try await session.state("/animal/currentAnimal") == "Cat" }
        }
    }

    @Test func otherWaitsGoOn() async throws {
        let remote = ScriptedRemoteClient()
        try await TestAPI.run(animal: remote, configuration: Self.hour) { api in
            let (session, other) = (try await api.session(), try await api.session())
            let (revoked, valid) = (try await session.share(), try await other.share())
            async let own = session.dispatch("animal/fetchAnimal", fields: [("Prefer", "wait=3600")])
            async let foreign = valid.post(Self.fetch, "", Self.waiting)
            await remote.called(times: 2)
            #expect(try await api.delete(session.path + "/shares").status == 204)
            // A share that is made later is not among the revoked ones.
            let newer = try await session.share()
            async let later = newer.post(Self.fetch, "", Self.waiting)
            await remote.called(times: 3)
            #expect(try await revoked.state().code == "no-such-share")
            for _ in 0..<3 { remote.reply(#"{"animal":"Cat"}"#) }
            for response in try await [own, foreign, later] { #expect(response[json: "settled"] == true) }
        }
    }

    @Test func theEndOfTheSessionEndsTheWait() async throws {
        let remote = ScriptedRemoteClient()
        try await TestAPI.run(animal: remote, configuration: Self.hour) { api in
            let session = try await api.session()
            let share = try await session.share()
            async let answer = share.post(Self.fetch, "", Self.waiting)
            await remote.called(times: 1)
            #expect(try await session.delete().status == 204)
            #expect(try await answer.revision == 1)
            #expect(try await share.post(Self.fetch, "", Self.waiting).code == "session-ended")
        }
    }

    @Test func aWaitThroughAnotherNodeEndsTooWhicheverNodeIsAskedToRevoke() async throws {
        let remote = ScriptedRemoteClient()
        try await TestCluster.run(animal: remote, configuration: Self.hour) { cluster in
            for (calls, node) in [cluster.first, cluster.second].enumerated() {
                let session = try await cluster.second.session()
                let text = try await session.share().path
                let request = TestRequest("POST", text + "/actions", [("Prefer", "wait=3600")], json: Self.fetch)
                async let answer = cluster.first.send(request)
                await remote.called(times: calls + 1)
                #expect(try await node.delete(session.path + "/shares").status == 204)
                let response = try await answer
                #expect(response.status == 200 && response[json: "settled"] == false)
                #expect(try await cluster.first.send(request).code == "no-such-share")
            }
        }
    }
}
