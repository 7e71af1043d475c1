import JSON
import Locks
import Observation
import RemoteStoreTesting
import StoreHosting
import StorehouseClient
import Testing

/// A store of the hall against a scripted server.
@MainActor @Suite struct RemoteStoreTests {
    private typealias Server = ScriptedServer
    private let world = World()
    private var server: ScriptedServer { world.server }

    private static func added(_ guest: String) -> JSONValue {
        [["op": "add", "path": "/guests/-", "value": .string(guest)]]
    }

    @Test func `an action is shown at once`() async {
        let store = await world.liveStore()
        store.send(book("Ada"))
        #expect(store.guests == ["Ada"])
        #expect(store.confirmed.guests == [])
        #expect(store.pending.map(\.action) == [book("Ada")])
    }

    @Test func `the value with an action takes the place of its prediction`() async throws {
        let store = await world.liveStore()
        let sent = store.send(book("Ada"))
        await server.begin()
        let post = await server.post()
        #expect(post.request.url == "https://host/sessions/me/sync?store=seats")
        let entry: JSONValue = ["actions": [["type": "seats/book", "payload": ["guest": "Ada"]]]]
        #expect(post.json == ["client": "client", "from": 1, "entries": [entry]])
        server.streams[0].send(Server.patch(1, Self.added("Ada"), through: 1))
        #expect(store.guests == ["Ada"])
        #expect(store.confirmed.guests == ["Ada"])
        #expect(store.pending.count == 1)
        await server.answer(Server.decided([Server.result(1, revision: 1)], revision: 1))
        let outcome = try await sent.outcome
        #expect(outcome.isCommitted)
        #expect(outcome.revision == 1)
        #expect(store.pending.isEmpty)
    }

    @Test func `an answer before the value leaves the prediction`() async throws {
        let store = await world.liveStore()
        let sent = store.send(book("Ada"))
        await server.begin()
        await server.answer(Server.decided([Server.result(1, revision: 1)], revision: 1))
        for _ in 0..<20 { await Task.yield() }
        #expect(store.guests == ["Ada"])
        #expect(store.pending.count == 1)
        server.streams[0].send(Server.patch(1, Self.added("Ada"), through: 1))
        #expect(try await sent.outcome.revision == 1)
        #expect(store.confirmed.guests == ["Ada"])
    }

    @Test func `a rejected action leaves, and the others are replayed`() async throws {
        let store = await world.liveStore()
        let first = store.send(book("Ada"))
        store.send(book("Eve"))
        await server.begin()
        let problem: JSONValue = ["status": 409, "code": "action-rejected", "reason": "barred", "index": 0]
        let results: JSONValue = ["n": 1, "outcome": "rejected", "revision": 0, "problem": problem]
        await server.answer(Server.decided([results]))
        let refusal = await #expect(throws: ActionRejected.self) { try await first.confirmed }
        #expect(refusal?.reason == "barred")
        #expect(refusal?.problem == problem)
        #expect(store.guests == ["Eve"])
        #expect(store.refusals.map(\.reason) == ["barred"])
        #expect(store.pending.count == 1)
    }

    @Test func `an action that the rules reject here is sent, and its reason told`() async {
        let store = await world.liveStore(["guests": ["a", "b", "c"], "visits": 0])
        store.send(book("Ada"))
        #expect(store.guests == ["a", "b", "c"])
        #expect(store.pending.map(\.reason) == ["sold-out"])
        await server.begin()
        #expect(await server.post().json["entries"]?.asArray?.count == 1)
    }

    @Test func `an action with a secret is not predicted, and sent in clear`() async {
        let store = await world.liveStore()
        store.send(unlock("sesame"))
        #expect(store.password == "")
        await server.begin()
        let action = await server.post().json["entries"]?[0]?["actions"]?[0]
        #expect(action == ["type": "seats/unlock", "payload": ["password": "sesame"]])
    }

    @Test func `a value that the server fills is guessed, and not sent`() async {
        let store = await world.liveStore()
        store.send(stamp())
        #expect(store.visits == 1_000_000)
        await server.begin()
        #expect(await server.post().json["entries"]?[0]?["actions"]?[0] == ["type": "seats/stamp"])
    }

    @Test func `actions of one turn go in one request, and a batch is one entry`() async {
        let store = await world.liveStore()
        store.send(book("Ada"))
        store.send(all: [book("Bob"), visit()], ifRevision: store.revision)
        #expect(store.guests == ["Ada", "Bob"])
        await server.begin()
        let entries = await server.post().json["entries"]
        #expect(entries?.asArray?.count == 2)
        #expect(entries?[1]?["actions"]?.asArray?.count == 2)
        #expect(entries?[1]?["ifMatch"] == "0.h")
    }

    @Test func `a batch is predicted whole or not at all`() async {
        let store = await world.liveStore(["guests": ["a", "b"], "visits": 0])
        store.send(all: [visit(), book("c"), book("d")])
        #expect(store.guests == ["a", "b"])
        #expect(store.visits == 0)
        #expect(store.pending.map(\.reason) == ["sold-out"])
    }

    @Test func `a view follows the members that it reads`() async {
        let store = await world.liveStore()
        let seen = Counter()
        withObservationTracking {
            _ = store.guests
        } onChange: {
            seen.add()
        }
        server.streams[0].send(Server.patch(1, [["op": "replace", "path": "/visits", "value": 5]]))
        #expect(store.visits == 5)
        #expect(seen.count == 0)
        store.send(visit())
        #expect(seen.count == 0)
        store.send(book("Ada"))
        #expect(seen.count == 1)
    }

    @Test func `all events of a read make one change`() async {
        let store = await world.liveStore()
        var seen: [[String]] = []
        store.onChange = { seen.append(store.confirmed.guests) }
        server.streams[0].send(Server.patch(1, Self.added("a")), Server.patch(2, Self.added("b")))
        #expect(seen == [["a", "b"]])
    }

    @Test func `states have the newest one, without a backlog`() async {
        let store = await world.liveStore()
        var states = store.states.makeAsyncIterator()
        for number in 1...3 { server.streams[0].send(Server.patch(number, Self.added("\(number)"))) }
        #expect(await states.next()?.guests == ["1", "2", "3"])
        store.close()
        #expect(await states.next() == nil)
    }

    @Test func `a patch that does not apply brings a whole state, and is never shown`() async {
        let store = await world.liveStore()
        server.streams[0].send(Server.patch(1, [["op": "remove", "path": "/nothing"]]))
        #expect(store.guests == [])
        #expect(store.revision == 0)
        #expect(store.connection.status == .reconnecting)
        world.clock.advance(by: .seconds(1))
        let stream = await server.stream(2)
        #expect(stream.request.headers["last-event-id"] == nil)
        stream.begin()
        stream.send(Server.state(1, ["guests": ["x"], "visits": 0]), Server.ready(1))
        #expect(store.guests == ["x"])
        #expect(store.connection.status == .live)
    }

    @Test func `a kind of another version is not predicted`() async {
        let store = world.store()
        let stream = await server.stream()
        stream.begin()
        stream.send(Server.state(0, ["guests": [], "visits": 0]), Server.ready(0, version: "9.other"))
        store.send(book("Ada"))
        #expect(store.guests == [])
        #expect(store.pending.count == 1)
    }

    @Test func `the outcome of an entry whose record is gone is unknown`() async throws {
        let store = await world.liveStore()
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
        #expect(store.guests == [])
    }

    @Test func `a full outbox refuses an action at once`() async throws {
        let store = await world.liveStore()
        for _ in 0..<1000 { store.send(visit()) }
        #expect(store.visits == 1000)
        let sent = store.send(visit())
        await #expect(throws: OutboxFull.self) { try await sent.stored }
        #expect(store.pending.count == 1000)
    }

    @Test func `flush ends when nothing is pending`() async {
        let store = await world.liveStore()
        store.send(book("Ada"))
        let flushed = Task { await store.flush() }
        await server.begin()
        await server.answer(Server.decided([Server.result(1, "ignored", revision: 0)]))
        await flushed.value
        #expect(store.pending.isEmpty)
    }

    @Test func `an action is settled when its effects have ended`() async throws {
        let store = await world.liveStore(hearsEffects: true)
        #expect(server.streams[0].request.url.contains("effects=true"))
        let sent = store.send(visit())
        await server.begin()
        server.streams[0].send(Server.patch(1, [["op": "replace", "path": "/visits", "value": 1]], through: 1))
        var result = Server.result(1, revision: 1).asObject ?? [:]
        result["effects"] = ["mail.send"]
        await server.answer(Server.decided([.object(result)], revision: 1))
        #expect(try await sent.outcome.effects == ["mail.send"])
        server.streams[0].send(("effect", "", ["effect": "mail.send", "phase": "succeeded", "cause": 1]))
        #expect(await sent.settled)
    }

    @Test func `the end of a session ends what waits for it`() async {
        let store = await world.liveStore()
        let sent = store.send(book("Ada"))
        server.streams[0].send(("closed", "", ["reason": "session-ended"]))
        #expect(store.connection.status == .ended("session-ended"))
        await #expect(throws: ConnectionEnded.self) { try await sent.confirmed }
        await #expect(throws: ConnectionEnded.self) { try await store.send(visit()).stored }
    }

    @Test func `a store that nobody holds leaves nothing behind`() async {
        var store: RemoteStore<Hall>? = await world.liveStore()
        let sent = store?.send(book("Ada"))
        _ = await server.post()
        weak let gone = store
        weak let core = store?.core
        var states = store?.states.makeAsyncIterator()
        #expect(await states?.next() != nil)
        store = nil
        #expect(gone == nil)
        #expect(await states?.next() == nil)
        await #expect(throws: ConnectionEnded.self) { try await sent?.confirmed }
        await until { server.posts.isEmpty && core == nil }
        #expect(!server.streams[0].isOpen)
        #expect(world.clock.timerCount == 0)
    }

    @Test func `without a kind the state is what the server sends`() async {
        let store = RemoteStore(
            .plain, url: "https://host/shared/abc", world.environment, storage: .memory, token: nil, select: "/guests")
        let stream = await server.stream()
        #expect(
            stream.request.url == "https://host/shared/abc/events?select=%2Fguests&changes=patch&sync=client")
        stream.begin()
        stream.send(Server.state(0, ["Ada"]), Server.ready(0))
        store.send(["type": "seats/book", "payload": ["guest": "Bob"]])
        #expect(store.state == ["Ada"])
        server.streams[0].send(Server.patch(1, [["op": "add", "path": "/-", "value": "Bob"]], through: 1))
        #expect(store.state == ["Ada", "Bob"])
    }
}

/// Counts on any thread.
private final class Counter: Sendable {
    private let value = Locked(0)
    var count: Int { value.withLock { $0 } }
    func add() { value.withLock { $0 += 1 } }
}
