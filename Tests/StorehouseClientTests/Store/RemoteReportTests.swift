import JSON
import RemoteStoreTesting
import StorehouseClient
import Testing

/// An app hears what no outcome and no state tells.
@MainActor @Suite struct RemoteReportTests {
    private typealias Server = ScriptedServer
    private let world = World()
    private var server: ScriptedServer { world.server }

    /// A live store of the hall, and the reports that it gives.
    private func store(_ reports: Reports) async -> RemoteStore<Hall> {
        let store = await world.liveStore()
        store.onReport = { reports.all.append($0) }
        return store
    }

    /// The next stream, when the one before is lost.
    private func reconnected() async -> Server.Stream {
        world.clock.advance(by: .seconds(1))
        let stream = await server.stream(2)
        stream.begin()
        return stream
    }

    @Test func `another history`() async {
        let reports = Reports()
        let store = await store(reports)
        server.streams[0].tell(.end(nil))
        let stream = await reconnected()
        let ready: JSONValue = ["revision": 0, "history": "other", "mark": "m1", "through": ["m1": 0]]
        stream.send(Server.state(0, ["guests": [], "visits": 3]), ("ready", "", ready))
        guard case .history("other") = reports.all.first else {
            Issue.record("\(reports.all)")
            return
        }
        #expect(store.visits == 3)
    }

    @Test func `actions of which nobody knows`() async throws {
        let reports = Reports()
        let store = await store(reports)
        let sent = store.send(book("Ada"))
        await server.begin()
        _ = await server.post()
        server.lose()
        await until {
            world.clock.advance(by: .milliseconds(10))
            return !server.posts.isEmpty
        }
        await server.answer(["code": "client-forgotten"], status: 409)
        await #expect(throws: OutcomeUnknown.self) { try await sent.confirmed }
        guard case .unknown(let entries) = reports.all.first else {
            Issue.record("\(reports.all)")
            return
        }
        #expect(entries.map(\.actions) == [[["type": "seats/book", "payload": ["guest": "Ada"]]]])
    }

    @Test func `another version, and a patch that does not apply`() async {
        let reports = Reports()
        let store = await store(reports)
        server.streams[0].send(Server.ready(0, version: "9.other"))
        server.streams[0].tell(.end(nil))
        let stream = await reconnected()
        stream.send(Server.state(0, ["guests": [], "visits": 0]), Server.ready(0, version: "9.other"))
        stream.send(Server.patch(1, [["op": "remove", "path": "/nothing"]]))
        let names = reports.all.map { "\($0)".prefix { $0 != "(" } }
        #expect(names.contains("version"))
        #expect(names.last == "patch")
        #expect(store.revision == 0)
    }

    @Test func `a disk that fails`() async throws {
        let disk = FakeDisk()
        let store = world.store(storage: disk.storage)
        var reports: [RemoteReport] = []
        store.onReport = { reports.append($0) }
        let stream = await server.stream()
        stream.begin()
        stream.send(Server.state(0, ["guests": [], "visits": 0]), Server.ready(0))
        try await store.send(visit()).stored
        disk.fill()
        await server.begin()
        _ = await server.post()
        guard case .storage(let error) = reports.first else {
            Issue.record("\(reports)")
            return
        }
        #expect(error is FakeDisk.Full)
    }

    @Test func `the token of somebody else`() async {
        let reports = Reports()
        // The claims are {"sub":"ada"} and {"sub":"bob"}.
        let store = world.store { _ in "e30.eyJzdWIiOiJhZGEifQ.x" }
        store.onReport = { reports.all.append($0) }
        _ = await server.stream()
        store.setToken("e30.eyJzdWIiOiJib2IifQ.x")
        guard case .user = reports.all.first else {
            Issue.record("\(reports.all)")
            return
        }
    }

    @Test func `a session of another kind ends the connection`() async {
        let store = world.store()
        let stream = await server.stream()
        stream.begin()
        let ready: JSONValue = ["revision": 0, "history": "h", "store": "counter"]
        stream.send(Server.state(0, ["counter": 1]), ("ready", "", ready))
        #expect(store.connection.status == .ended("refused"))
        #expect(store.guests == [])
    }

    @MainActor
    private final class Reports {
        var all: [RemoteReport] = []
    }
}
