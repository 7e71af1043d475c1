import CFaultyDisk
import Foundation
import JSON
import StorehouseServer
import StoresTesting
import Testing

/// No answer shows more than the disk holds, also where the client asks to wait for effects.
@Suite struct DurableAnswerTests {
    /// A served session on a disk whose syncs can be held back and made to fail.
    private struct Scene {
        let api: TestAPI
        let session: LiveSession
        let remote: ScriptedRemoteClient
        // Sendable although C does not say so: all of it is atomic.
        nonisolated(unsafe) let disk: OpaquePointer

        func holdSyncs() { faulty_disk_hold(disk, 1) }

        /// Lets `good` syncs succeed and the later ones fail.
        func releaseSyncs(good: Int32) {
            faulty_disk_fail(disk, FAULTY_SYNC, good)
            faulty_disk_hold(disk, 0)
        }

        func heal() async throws {
            faulty_disk_fail(disk, FAULTY_NOT, 0)
            _ = try await api.eventually(TestRequest("GET", "/readyz")) { $0.status == 200 }
        }

        func fetch(_ fields: [(String, String)] = [("Prefer", "wait=3600")]) -> TestRequest {
            session.request("animal/fetchAnimal", fields: fields)
        }

        /// Waits until the remote call has begun and its first commit is durable.
        func fetchBegins() async throws {
            await remote.called(times: 1)
            #expect(try await session.revision() == 1)
        }

        /// Waits until the session has committed a revision, durable or not.
        func committed(_ revision: Int) async throws { try await api.log.line(with: "revision=\(revision) ") }
    }

    private func run<Result: Sendable>(
        _ durable: DurableServer, configuration: Configuration = .with(), _ body: (Scene) async throws -> Result
    ) async throws -> Result {
        let name = "answers-" + UUID().uuidString
        let disk = try #require(faulty_disk_make(name))
        let remote = ScriptedRemoteClient()
        return try await durable.runAPI(animal: remote, configuration: configuration, vfs: name) { api in
            let session = try await api.session()
            return try await body(Scene(api: api, session: session, remote: remote, disk: disk))
        }
    }

    /// The answer shows revision 2 or, if it was read after revision 3 was committed, the action's own revision 1.
    @Test func aWaitedAnswerShowsOnlyWhatIsDurable() async throws {
        let durable = try DurableServer()
        let (path, shown) = try await run(durable) { scene in
            let (api, session) = (scene.api, scene.session)
            async let answer = api.send(scene.fetch())
            try await scene.fetchBegins()
            scene.holdSyncs()
            scene.remote.reply(#"{"animal":"Cat"}"#)
            try await scene.committed(2)
            async let later = session.increment()
            try await scene.committed(3)
            scene.releaseSyncs(good: 1)
            let shown = try await answer
            _ = try await later
            try await scene.heal()
            return (session.path, shown)
        }
        #expect(shown.status == 200)
        let revision = try #require(shown.revision)
        try await durable.runAPI { (api: TestAPI) async throws in
            let kept = try await api.get(path + "/state?revision=\(revision)")
            #expect(kept.status == 200)
            #expect(kept.at("/state") == shown.at("/state"))
        }
    }

    @Test func theListOfSessionsShowsOnlyWhatIsDurable() async throws {
        let configuration = Configuration.with { $0.admin.token = .init("a-token-of-some-length") }
        try await run(try DurableServer(), configuration: configuration) { scene in
            func listed() async throws -> JSONValue? {
                try await scene.api.get("/admin/sessions", [("Authorization", "Bearer a-token-of-some-length")])
                    .at("/sessions/0/revision")
            }
            _ = try await scene.session.increment()
            scene.holdSyncs()
            async let later = scene.session.increment()
            try await scene.committed(2)
            #expect(try await listed() == 1)
            scene.releaseSyncs(good: 1000)
            #expect(try await later.revision == 2)
            #expect(try await listed() == 2)
            try await scene.heal()
        }
    }

    @Test func anAnswerAtItsDeadlineShowsOnlyWhatIsDurable() async throws {
        let wait = [("Prefer", "wait=1")]
        // With one loop, a later timer shows that an earlier one has fired.
        let configuration = Configuration.with { $0.http.threads = 1 }
        try await run(try DurableServer(), configuration: configuration) { scene in
            let session = scene.session
            let witness = try await scene.api.session()
            async let answer = scene.api.send(scene.fetch(wait))
            await scene.remote.called(times: 1)
            async let witnessed = scene.api.send(witness.request("animal/fetchAnimal", fields: wait))
            await scene.remote.called(times: 2)
            scene.holdSyncs()
            async let lost = session.increment()
            try await scene.committed(2)
            #expect(try await witnessed.revision == 1)
            scene.releaseSyncs(good: 0)
            #expect(try await lost.code == "storage-unavailable")
            // The action's own commit is durable, so the answer shows that one.
            let shown = try await answer
            #expect(shown.status == 200)
            #expect(shown.revision == 1)
            #expect(shown.at("/state/counter/count") == 0)
            try await scene.heal()
            #expect(try await session.state("/counter/count") == 0)
        }
    }

    /// A client that was given the final answer gets it again from the next process.
    @Test func aWaitedAnswerIsNotSentBeforeItsRecordIsDurable() async throws {
        let durable = try DurableServer()
        let fields = [("Prefer", "wait=3600"), ("Idempotency-Key", "\"k\"")]
        let (path, first) = try await run(durable) { scene in
            async let answer = scene.api.send(scene.fetch(fields))
            try await scene.fetchBegins()
            scene.holdSyncs()
            scene.remote.reply(#"{"animal":"Cat"}"#)
            try await scene.committed(2)
            scene.releaseSyncs(good: 1)
            let first = try await answer
            try await scene.heal()
            return (scene.session.path, first)
        }
        try await durable.runAPI { api in
            let session = LiveSession(server: api, path: path)
            let again = try await session.dispatch("animal/fetchAnimal", fields: fields)
            #expect(again["idempotency-replayed"] == "true")
            if first.status == 200 {
                #expect(again.body == first.body)
            } else {
                #expect(first.code == "storage-unavailable")
            }
        }
    }

    @Test func theFinalAnswerIsGivenAgainAfterARestart() async throws {
        let durable = try DurableServer()
        let fields = [("Prefer", "wait=3600"), ("Idempotency-Key", "\"k\"")]
        let (path, first) = try await run(durable) { scene in
            async let answer = scene.api.send(scene.fetch(fields))
            try await scene.fetchBegins()
            scene.remote.reply(#"{"animal":"Cat"}"#)
            return (scene.session.path, try await answer)
        }
        #expect(first.at("/state/animal/currentAnimal") == "Cat")
        try await durable.runAPI { api in
            let session = LiveSession(server: api, path: path)
            let again = try await session.dispatch("animal/fetchAnimal", fields: fields)
            #expect(again["idempotency-replayed"] == "true")
            #expect(again.body == first.body)
        }
    }

    /// A 204 for a DELETE means that the session stays deleted.
    @Test func aDeletionIsAnsweredOnceItIsDurable() async throws {
        let durable = try DurableServer()
        let path = try await run(durable) { scene in
            scene.holdSyncs()
            async let answer = scene.session.delete()
            scene.releaseSyncs(good: 0)
            let refused = try await answer
            #expect(refused.code == "storage-unavailable")
            try await scene.heal()
            #expect(try await scene.session.read().status == 200)
            #expect(try await scene.session.delete().status == 204)
            #expect(try await scene.session.read().code == "session-ended")
            return scene.session.path
        }
        try await durable.runAPI { (api: TestAPI) async throws in
            #expect(try await api.get(path).code == "session-ended")
        }
    }
}
