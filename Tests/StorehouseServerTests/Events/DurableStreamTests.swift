import CFaultyDisk
import Foundation
import JSON
import Journal
import StoreHosting
import StorehouseServer
import Testing

/// A stream begins with what the disk holds, and goes on from there.
@Suite struct DurableStreamTests {
    private static let admin = [("Authorization", "Bearer a-token-of-some-length")]

    /// A served session on a disk whose syncs are held back, with a first commit that is durable and a second one that is not.
    private struct Scene {
        let server: LiveServer
        let session: LiveSession
        // Sendable although C does not say so: all of it is atomic.
        nonisolated(unsafe) let disk: OpaquePointer

        /// Waits until the session has committed a revision, durable or not.
        func committed(_ revision: Int) async throws { try await server.log.line(with: "revision=\(revision) ") }

        /// Waits until so many streams are subscribed, perhaps before they begin.
        func subscribed(_ count: Int) async throws {
            _ = try await server.eventually(TestRequest("GET", "/admin/sessions", DurableStreamTests.admin)) {
                $0.at("/sessions/0/subscribers")?.asInteger == count
            }
        }

        func request(_ query: String = "") -> TestRequest { TestRequest("GET", session.path + "/events" + query) }

        func heal() async throws {
            faulty_disk_fail(disk, FAULTY_NOT, 0)
            _ = try await server.eventually(TestRequest("GET", "/readyz")) { $0.status == 200 }
        }
    }

    private func run(_ body: (Scene) async throws -> Void) async throws {
        let name = "streams-" + UUID().uuidString
        let disk = try #require(faulty_disk_make(name))
        let configuration = Configuration.with { $0.admin.token = .init("a-token-of-some-length") }
        try await DurableServer().run(configuration: configuration, vfs: name) { server in
            let scene = Scene(server: server, session: try await server.session(), disk: disk)
            _ = try await scene.session.increment()
            faulty_disk_hold(disk, 1)
            defer { faulty_disk_hold(disk, 0) }
            async let second = scene.session.increment()
            try await scene.committed(2)
            try await body(scene)
            _ = try await second
        }
    }

    /// The action is committed in the turn of the loop in which the stream is subscribed, before its first event is awaited.
    @Test func anEventThatComesBeforeTheStreamHasBegunIsNotMissing() async throws {
        let name = "streams-" + UUID().uuidString
        let disk = try #require(faulty_disk_make(name))
        let (durable, job) = (try DurableServer(), CountedJob())
        let journal = try await durable.open { try SQLiteJournal(path: $0, vfs: name) }
        let kind = StoreKind.store("slow", reducer: SlowReducer(job: job), middleware: [])
        let configuration = Configuration.with { $0.http.threads = 1 }
        try await LiveServer.run(kinds: [kind], configuration: configuration, journal: journal) { server in
            let (session, other) = (try await server.session("slow"), try await server.session("slow"))
            let (watcher, sender, blocker) = (try server.client(), try server.client(), try server.client())
            for client in [watcher, sender] { _ = try await client.exchange(TestRequest("GET", "/healthz")) }
            faulty_disk_hold(disk, 1)
            defer { faulty_disk_hold(disk, 0) }
            async let first = session.dispatch("slow/count")
            try await server.log.line(with: "revision=1 ")
            try await blocker.send(other.request("slow/block").bytes)
            await job.started()
            try await watcher.send(TestRequest("GET", session.path + "/events").bytes)
            try await sender.send(session.request("slow/count").bytes)
            job.release()
            try await server.log.line(with: "revision=2 ")
            faulty_disk_hold(disk, 0)
            #expect(try await first.revision == 1)
            #expect(try await session.dispatch("slow/count").revision == 3)
            let stream = try await EventReader(watcher)
            for revision in 1...3 { #expect(try await stream.state().revision == revision) }
        }
    }

    @Test func noEventIsMissingOrRepeatedBehindAStateThatWasAwaited() async throws {
        try await run { scene in
            let queries = ["", "?changes=patch", "?select=/counter", "?effects=true&changes=patch"]
            var clients: [TestClient] = []
            for number in 0..<16 {
                let client = try scene.server.client()
                try await client.send(scene.request(queries[number % queries.count]).bytes)
                clients.append(client)
            }
            try await scene.subscribed(clients.count)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for revision in 3...12 {
                    group.addTask { _ = try await scene.session.increment() }
                    try await scene.committed(revision)
                }
                faulty_disk_hold(scene.disk, 0)
                try await group.waitForAll()
            }
            for client in clients {
                let stream = try await EventReader(client)
                #expect(try await stream.state().revision == 2)
                for revision in 3...12 { #expect(try await stream.event()?.revision == revision) }
            }
        }
    }

    @Test func aStreamThatWouldBeginWithWhatIsLostIsRefused() async throws {
        try await run { scene in
            let client = try scene.server.client()
            try await client.send(scene.request().bytes)
            try await scene.subscribed(1)
            faulty_disk_fail(scene.disk, FAULTY_SYNC, 0)
            faulty_disk_hold(scene.disk, 0)
            let answer = try await client.response()
            #expect(answer.status == 503)
            #expect(answer.code == "storage-unavailable")
            try await scene.heal()
            #expect(try await scene.session.events().state().revision == 1)
        }
    }

    @Test func aClientThatIsGoneBeforeItsStreamBeginsIsNotSubscribedForEver() async throws {
        try await run { scene in
            for number in 1...4 {
                let client = try scene.server.client()
                try await client.send(scene.request().bytes)
                try await scene.subscribed(number)
                if number.isMultiple(of: 2) { try await client.makeReset() } else { try await client.finishSending() }
            }
            faulty_disk_hold(scene.disk, 0)
            try await scene.subscribed(0)
            #expect(try await scene.session.events().state().revision == 2)
        }
    }
}
