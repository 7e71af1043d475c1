import RemoteStoreTesting
import StoreHosting
import StorehouseClient
import Testing

/// A test says what a server does, and sees the stores follow.
@MainActor @Suite struct ScriptedServerTests {
    private let server = ScriptedServer(seats, Hall(guests: ["Eve"]))

    @Test func `a store is live at once`() {
        let store = server.store()
        #expect(store.connection.status == .live)
        #expect(store.guests == ["Eve"])
        #expect(server.streamCount == 1)
    }

    @Test func `an action is committed by the rules of the kind`() async throws {
        let store = server.store()
        let outcome = try await store.send(book("Ada")).outcome
        #expect(outcome.isCommitted)
        #expect(outcome.revision == 1)
        #expect(store.confirmed.guests == ["Eve", "Ada"])
        #expect(server.state == store.confirmed)
        #expect(server.received == [book("Ada")])
        try await store.send(all: [book("Bob")]).confirmed
        let refusal = await #expect(throws: ActionRejected.self) { try await store.send(book("Tom")).confirmed }
        #expect(refusal?.reason == "sold-out")
        #expect(server.revision == 2)
    }

    @Test func `entries commit whole or not at all, and only at their revision`() async throws {
        let store = server.store()
        let full = store.send(all: [book("Ada"), book("Bob"), book("Tom")])
        let refusal = await #expect(throws: ActionRejected.self) { try await full.confirmed }
        #expect(refusal?.index == 2)
        #expect(server.state.guests == ["Eve"])
        try await store.send(all: [book("Ada")], ifRevision: 0).confirmed
        let late = await #expect(throws: ActionRejected.self) {
            try await store.send(all: [book("Bob")], ifRevision: 0).confirmed
        }
        #expect(late?.outcome == .mismatched)
    }

    @Test func `held answers leave the action pending`() async throws {
        let store = server.store()
        server.answers = .held
        let sent = store.send(book("Ada"))
        await server.until { server.requestCount == 1 }
        #expect(store.guests == ["Eve", "Ada"])
        #expect(store.confirmed.guests == ["Eve"])
        #expect(store.pending.map(\.action) == [book("Ada")])
        server.answers = .given
        try await sent.confirmed
        #expect(store.pending.isEmpty)
        #expect(store.confirmed.guests == ["Eve", "Ada"])
    }

    @Test func `an action whose answer is lost is committed once`() async throws {
        let store = server.store()
        try await store.send(book("Ada")).confirmed
        server.answers = .lost
        let sent = store.send(book("Bob"))
        await server.until { server.state.guests.count == 3 }
        server.answers = .given
        let count = server.requestCount
        await server.until {
            server.clock.advance(by: .seconds(1))
            return server.requestCount > count
        }
        #expect(try await sent.outcome.revision == 2)
        #expect(server.state.guests == ["Eve", "Ada", "Bob"])
    }

    @Test func `an action is rejected as the test says, once`() async throws {
        let store = server.store()
        server.reject(book("Ada"), "barred")
        let refusal = await #expect(throws: ActionRejected.self) { try await store.send(book("Ada")).confirmed }
        #expect(refusal?.reason == "barred")
        #expect(store.refusals.map(\.reason) == ["barred"])
        #expect(store.guests == ["Eve"])
        try await store.send(book("Ada")).confirmed
        #expect(store.guests == ["Eve", "Ada"])
    }

    @Test func `a cut stream is opened again`() async {
        let store = server.store()
        server.cut()
        #expect(store.connection.status == .reconnecting)
        #expect(store.connection.isStale)
        server.clock.advance(by: .seconds(1))
        #expect(store.connection.status == .live)
    }

    @Test func `without a network actions wait, and are sent when it is back`() async throws {
        let store = server.store()
        server.isOnline = false
        #expect(store.connection.status == .offline)
        let sent = store.send(book("Ada"))
        #expect(store.guests == ["Eve", "Ada"])
        server.commit(book("Bob"))
        #expect(store.guests == ["Eve", "Ada"])
        server.isOnline = true
        server.clock.advance(by: .seconds(1))
        try await sent.confirmed
        #expect(store.connection.status == .live)
        #expect(store.guests == ["Eve", "Bob", "Ada"])
    }

    @Test func `a store that begins without a network connects when it is back`() async {
        server.isOnline = false
        let store = server.store()
        #expect(store.connection.isStale)
        server.isOnline = true
        await server.until {
            server.clock.advance(by: .seconds(1))
            return store.connection.status == .live
        }
        #expect(store.guests == ["Eve"])
    }

    @Test func `others commit, and effects change the state`() {
        let store = server.store()
        #expect(server.commit(book("Ada")) == .accept)
        #expect(store.guests == ["Eve", "Ada"])
        server.change { $0.guests.removeFirst() }
        #expect(store.guests == ["Ada"])
        #expect(store.revision == 2)
        #expect(server.commit(greet()) == .reject("identity-required"))
        server.commit(greet(), as: "bob")
        #expect(store.hosts == ["bob"])
    }

    @Test func `an action is that of the user of the store`() async throws {
        let store = server.store(as: "müller?>")
        let sent = store.send(greet())
        #expect(store.hosts == ["müller?>"])
        try await sent.confirmed
        #expect(server.state.hosts == ["müller?>"])
        let nobody = server.store()
        let refusal = await #expect(throws: ActionRejected.self) { try await nobody.send(greet()).confirmed }
        #expect(refusal?.reason == "identity-required")
    }

    @Test func `two stores see each other`() async throws {
        let (one, other) = (server.store(as: "ada"), server.store(as: "bob"))
        try await one.send(book("Ada")).confirmed
        #expect(other.guests == ["Eve", "Ada"])
        try await other.send(book("Bob")).confirmed
        #expect(one.confirmed.guests == ["Eve", "Ada", "Bob"])
        #expect(one.pending.isEmpty)
    }

    @Test func `a session that ends takes the actions with it`() async {
        let store = server.store()
        server.answers = .held
        let sent = store.send(book("Ada"))
        server.end()
        #expect(store.connection.status == .ended("session-ended"))
        let end = await #expect(throws: ConnectionEnded.self) { try await sent.confirmed }
        #expect(end?.reason == "session-ended")
        #expect(server.streamCount == 0)
    }

    @Test func `a token is asked for`() async {
        let store = server.store(token: { $0 == .first ? "e30.eyJzdWIiOiJhZGEifQ." : nil })
        #expect(store.connection.status == .connecting)
        await server.until { store.connection.status == .live }
        store.send(greet())
        #expect(store.hosts == ["ada"])
    }
}
