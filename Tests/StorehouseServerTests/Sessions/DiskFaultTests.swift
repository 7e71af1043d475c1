import CFaultyDisk
import Foundation
import JSON
import Journal
import RemoteServices
import StorehouseServer
import StoresTesting
import Testing

/// Responses and streams while the disk fails, and after it has recovered.
@Suite struct DiskFaultTests {
    @Test(arguments: [FAULTY_FULL.rawValue, FAULTY_SYNC.rawValue, FAULTY_WRITE_IO.rawValue])
    func nothingIsCommittedThatIsNotDurable(_ fault: UInt32) async throws {
        let name = "served-" + UUID().uuidString
        let disk = try #require(faulty_disk_make(name))
        let durable = try DurableServer()
        try await durable.run(vfs: name) { server in
            let (session, other) = (try await server.session(), try await server.session())
            for _ in 1...3 { _ = try await session.increment() }
            let events = try await session.events(query: "?changes=patch")
            let id = try #require(try await events.state().id)

            faulty_disk_fail(disk, faulty_kind(fault), 0)
            let refused = try await session.increment()
            #expect(refused.status == 503)
            #expect(refused.code == "storage-unavailable")
            #expect(refused["retry-after"] != nil)
            // The stream ends without an event, so that its client comes back.
            #expect(try await events.event() == nil)
            let readiness = try await server.get("/readyz")
            #expect(readiness.code == "storage-unavailable")
            #expect(try await server.get("/healthz").status == 200)
            #expect(try await server.post("/sessions", json: [:]).code == "storage-unavailable")
            #expect(try await other.increment().code == "storage-unavailable")
            // Durable state can be read meanwhile.
            #expect(try await session.read("/state").at("/state/counter/count") == 3)
            #expect(try await session.revision() == 3)

            faulty_disk_fail(disk, FAULTY_NOT, 0)
            _ = try await server.eventually(TestRequest("GET", "/readyz")) { $0.status == 200 }
            let again = try await session.events(query: "?changes=patch&lastEventId=\(id)")
            let answer = try await session.increment()
            #expect(answer.revision == 4)
            #expect(answer.at("/state/counter/count") == 4)
            let event = try await again.event()
            #expect(event?.revision == 4)
            #expect(try await other.increment().revision == 1)
        }
        try await durable.run { (server: LiveServer) async throws in
            #expect(try await server.get("/readyz").status == 200)
        }
    }

    /// With relaxed durability the client has an answer before the write fails. The revision is then given to another commit,
    /// in another history.
    @Test func aLostTailEndsTheHistory() async throws {
        let name = "served-" + UUID().uuidString
        let disk = try #require(faulty_disk_make(name))
        let configuration = Configuration.with { $0.admin.token = .init("a-token-of-some-length") }
        try await DurableServer().run(configuration: configuration, durability: .relaxed, vfs: name) { server in
            let session = try await server.session()
            let first = try #require(try await session.increment()["etag"])
            // The session itself must be on the disk, not only its first commit.
            let fields = [("Authorization", "Bearer a-token-of-some-length")]
            _ = try await server.eventually(TestRequest("GET", "/admin/sessions", fields)) {
                $0.at("/sessions/0/revision") == 1
            }
            // The answer must not come after the failure.
            defer { faulty_disk_hold_writes(disk, 0) }
            faulty_disk_hold_writes(disk, 1)
            faulty_disk_fail(disk, FAULTY_WRITE_IO, 0)
            let lost = try #require(try await session.increment()["etag"])
            faulty_disk_hold_writes(disk, 0)
            #expect(lost.hasPrefix("\"2.") && first.dropFirst(3) == lost.dropFirst(3))
            _ = try await server.eventually(TestRequest("GET", "/readyz")) { $0.status == 503 }
            faulty_disk_fail(disk, FAULTY_NOT, 0)
            _ = try await server.eventually(TestRequest("GET", "/readyz")) { $0.status == 200 }
            let state = try await server.eventually(TestRequest("GET", session.path + "/state")) {
                $0.revision.map { $0 < 2 } == true
            }
            #expect(state["etag"]?.dropFirst(3) != lost.dropFirst(3))
            let refused = try await session.dispatch("counter/increment", fields: [("If-Match", lost)])
            #expect(refused.status == 412)
            let other = try await session.increment()
            #expect(other["etag"] != lost && other["etag"] != first)
        }
    }

    @Test(arguments: [FAULTY_FULL.rawValue, FAULTY_SYNC.rawValue, FAULTY_WRITE_IO.rawValue])
    func noRemoteCallIsMadeForAnActionThatIsNotDurable(_ fault: UInt32) async throws {
        let name = "served-" + UUID().uuidString
        let disk = try #require(faulty_disk_make(name))
        let animal = ScriptedRemoteClient(
            always: .success(
                .init(status: 200, contentType: "application/json", body: Array(#"{"animal":"Cat"}"#.utf8))))
        try await DurableServer().run(animal: animal, vfs: name) { server in
            let session = try await server.session()
            faulty_disk_fail(disk, faulty_kind(fault), 0)
            #expect(try await session.dispatch("animal/fetchAnimal").code == "storage-unavailable")
            faulty_disk_fail(disk, FAULTY_NOT, 0)
            _ = try await server.eventually(TestRequest("GET", "/readyz")) { $0.status == 200 }
            #expect(animal.requests.isEmpty)
            let fetched = try await session.dispatch("animal/fetchAnimal", fields: [("Prefer", "wait=3600")])
            #expect(fetched.at("/state/animal/currentAnimal") == "Cat")
            #expect(animal.requests.count == 1)
        }
    }

    @Test func streamsAreClosedWhenCommitsFail() async throws {
        let name = "served-" + UUID().uuidString
        let disk = try #require(faulty_disk_make(name))
        try await DurableServer().run(vfs: name) { server in
            let session = try await server.session()
            var streams: [EventReader] = []
            for query in ["", "?changes=patch", "?effects=true", "?select=/counter"] {
                let events = try await session.events(query: query)
                _ = try await events.state()
                streams.append(events)
            }
            faulty_disk_fail(disk, FAULTY_FULL, 0)
            // Many at once: for some the journal has failed already.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 1...20 {
                    group.addTask {
                        let answer = try await session.increment()
                        #expect(answer.code == "storage-unavailable")
                    }
                }
                try await group.waitForAll()
            }
            for events in streams { #expect(try await events.event() == nil) }
            faulty_disk_fail(disk, FAULTY_NOT, 0)
            _ = try await server.eventually(TestRequest("GET", "/readyz")) { $0.status == 200 }
            #expect(try await session.increment().revision == 1)
        }
    }
}
