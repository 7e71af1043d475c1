import JSON
import RemoteStoreTesting
import StoreHosting
import StorehouseClient
import Testing

/// A store of the hall whose outbox is on a disk.
@MainActor @Suite struct StoredOutboxTests {
    private typealias Server = ScriptedServer
    private let disk = FakeDisk()

    /// A store that begins with what is on the disk, and is live.
    private func liveStore(_ world: World) async -> RemoteStore<Hall> {
        let store = world.store(storage: disk.storage)
        let stream = await world.server.stream()
        stream.begin()
        let ready = Server.ready(0, version: seats.clientCoding.version)
        stream.send(Server.state(0, ["guests": [], "visits": 0]), ready)
        return store
    }

    @Test func `an entry is on disk before it is sent, and its sending too`() async throws {
        let world = World()
        let store = await liveStore(world)
        try await store.send(book("Ada")).stored
        #expect(disk.now.stored.rows.map(\.number) == [1])
        await world.server.begin()
        _ = await world.server.post()
        #expect(disk.now.stored.client == "client")
        #expect(disk.now.stored.sent == 1)
    }

    @Test func `what was not decided is shown and sent by a later start`() async throws {
        let before = World()
        do {
            let store = await liveStore(before)
            try await store.send(book("Ada")).stored
            try await store.send(book("Bob")).stored
            await before.server.begin()
            _ = await before.server.post()
        }
        await until { !before.server.streams[0].isOpen }
        let world = World()
        let store = await liveStore(world)
        #expect(store.guests == ["Ada", "Bob"])
        store.send(book("Eve"))
        await until { disk.now.stored.rows.count == 3 }
        let post = await world.server.post()
        #expect(post.json["new"] == nil)
        #expect(post.json["from"] == 1)
        let results = (1...3).map { Server.result($0, "ignored", revision: 0) }
        await world.server.answer(Server.decided(results))
        await until { store.pending.count < 2 && world.server.posts.isEmpty || world.server.posts.count == 1 }
        if !world.server.posts.isEmpty { await world.server.answer(Server.decided([results[2]])) }
        await store.flush()
        await until { disk.now.stored.rows.isEmpty }
    }

    @Test func `the newest state is shown before the first byte`() async throws {
        let before = World()
        do {
            let store = await liveStore(before)
            before.server.streams[0].send(Server.patch(1, [["op": "replace", "path": "/visits", "value": 7]]))
            before.clock.advance(by: .seconds(1))
            await until { disk.now.stored.cache != nil }
            store.close()
        }
        let world = World()
        let store = world.store(storage: disk.storage)
        let stream = await world.server.stream()
        #expect(store.visits == 7)
        #expect(store.connection.isStale)
        #expect(stream.request.headers["last-event-id"] == "h-1")
    }

    @Test func `flush waits for what was stored before, although it is not read yet`() async {
        disk.keep([OutboxRow(number: 1, bytes: Array(#"{"actions":[{"type":"seats/visit"}]}"#.utf8))])
        let world = World()
        let store = world.store(storage: disk.storage)
        #expect(!store.isLoaded)
        let flushed = Task { await store.flush() }
        let stream = await world.server.stream()
        stream.begin()
        stream.send(Server.state(0, ["guests": [], "visits": 0]), Server.ready(0))
        await world.server.begin()
        await world.server.answer(Server.decided([Server.result(1, "ignored", revision: 0)]))
        await flushed.value
        #expect(world.server.postCount == 2)
        #expect(store.pending.isEmpty)
    }

    @Test func `flush of an empty outbox ends when it is read`() async {
        let store = World().store(storage: disk.storage)
        await store.flush()
        #expect(store.isLoaded)
        store.close()
        await store.flush()
    }

    @Test func `a damaged outbox is told`() async {
        disk.keep([], damage: .damaged(path: "a"))
        let store = World().store(storage: disk.storage)
        var reports: [String] = []
        store.onReport = { reports.append("\($0)") }
        await store.flush()
        #expect(reports.count == 1)
        #expect(reports.first?.contains("a part of a is damaged") == true)
    }

    @Test func `an action with a secret is sent, and not written`() async throws {
        let world = World()
        let store = await liveStore(world)
        try await store.send(unlock("sesame")).stored
        try await store.send(book("Ada")).stored
        #expect(disk.now.stored.rows.map(\.number) == [2])
        await world.server.begin()
        #expect(await world.server.post().json["entries"]?.asArray?.isEmpty == false)
    }

    @Test func `an entry for which the disk has no room is not shown any more`() async throws {
        let world = World()
        let store = await liveStore(world)
        disk.fill()
        let sent = store.send(book("Ada"))
        #expect(store.guests == ["Ada"])
        await #expect(throws: FakeDisk.Full.self) { try await sent.stored }
        await #expect(throws: FakeDisk.Full.self) { try await sent.confirmed }
        #expect(store.guests == [])
        #expect(store.pending.isEmpty)
    }

    @Test func `signing out deletes all`() async throws {
        let world = World()
        let store = await liveStore(world)
        try await store.send(book("Ada")).stored
        try await store.signOut()
        #expect(disk.now.stored == StoredOutbox())
        #expect(store.connection.status == .ended("closed"))
    }

    @Test func `an outbox belongs to a server, a session and a user`() async {
        // The claims are {"sub":"ada"}.
        let store = World().store(storage: disk.storage) { _ in "e30.eyJzdWIiOiJhZGEifQ.x" }
        await until { disk.now.name != nil }
        #expect(disk.now.name == "storehouse https://host/sessions/me?store=seats  ada")
        store.close()
    }
}
