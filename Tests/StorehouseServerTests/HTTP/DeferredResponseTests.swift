import JSON
import Sockets
import StorehouseServer
import StoresTesting
import Testing

/// Connections whose response is delayed.
@Suite struct DeferredResponseTests {
    @Test(arguments: LoopImplementation.allCases, [false, true])
    func requestsBehindAWaitingOneAreAnsweredAfterIt(_ loops: LoopImplementation, _ endsInput: Bool) async throws {
        let remote = ScriptedRemoteClient()
        try await LiveServer.run(animal: remote, loops: loops) { server in
            let session = try await server.session()
            let client = try server.client()
            try await client.send(
                session.request("animal/fetchAnimal", fields: [("Prefer", "wait=3600")]).bytes
                    + session.request("counter/increment").bytes + TestRequest("GET", session.path).bytes)
            if endsInput { try await client.finishSending() }
            await remote.called(times: 1)
            // The second request is not handled before the first is answered.
            #expect(try await session.revision() == 1)
            remote.reply(#"{"animal":"Cat"}"#)
            #expect(try await client.response().at("/state/animal/currentAnimal") == "Cat")
            #expect(try await client.response().revision == 3)
            #expect(try await client.response()[json: "revision"] == 3)
            if endsInput { #expect(try await client.rest().isEmpty) }
        }
    }

    @Test func aClientThatDisconnectsWhileItWaitsCancelsNothing() async throws {
        let remote = ScriptedRemoteClient()
        try await TestAPI.run(animal: remote) { api in
            let session = try await api.session()
            let events = try await session.events(query: "?select=/animal/currentAnimal")
            do {
                let client = try api.client()
                try await client.send(session.request("animal/fetchAnimal", fields: [("Prefer", "wait=3600")]).bytes)
                await remote.called(times: 1)
                try await client.makeReset()
            }
            remote.reply(#"{"animal":"Cow"}"#)
            #expect(try await events.states(upTo: 2).last?.state == "Cow")
            #expect(try await session.increment().revision == 3)
        }
    }

    @Test func anIncompleteRequestHasNoEffect() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let request = session.request("counter/increment").bytes
            for length in stride(from: 1, to: request.count, by: 11) {
                let client = try api.client()
                try await client.send(Array(request[..<length]))
                if length.isMultiple(of: 2) { try await client.makeReset() }
            }
            #expect(try await session.increment().revision == 1)
        }
    }

    @Test func aWaitingRequestIsLoggedOnce() async throws {
        let remote = ScriptedRemoteClient()
        let configuration = Configuration.with {
            $0.http.maxWait = .seconds(1)
            $0.http.threads = 1
            $0.log.access = .all
        }
        try await TestAPI.run(animal: remote, configuration: configuration) { api in
            let session = try await api.session("animal")
            let patient = session.request("animal/fetchAnimal", fields: [("Prefer", "wait=1")])
            remote.reply(#"{"animal":"Cat"}"#)
            #expect(try await api.send(patient).status == 200)
            // Answered after its own second, and after that of the first request.
            #expect(try await api.send(patient).status == 200)
            let lines = api.log.text.split(separator: "\n").filter { $0.contains("/actions") }
            #expect(lines.count == 2)
        }
    }
}
