import JSON
import Locks
import RemoteStoreTesting
import StorehouseClient
import Testing

@MainActor @Suite struct AccessTests {
    private let world = World()

    /// A token with the claims `{"sub":"ada","exp":1100}`, which expires 100 seconds after the clock's beginning.
    private nonisolated static let ada = "e30.eyJzdWIiOiJhZGEiLCJleHAiOjExMDB9.x"

    @Test func `claims are read without a check`() {
        let claims = TokenClaims(Self.ada)
        #expect(claims.subject == "ada")
        #expect(claims.expiry == 1_100_000)
        #expect(TokenClaims("no-token").subject == nil)
        #expect(TokenClaims(nil).subject == nil)
    }

    @Test func `the app is asked before first use, after a refusal, and before the end`() async {
        let asked = Locked<[TokenReason]>([])
        let store = world.store { reason in
            asked.withLock { $0.append(reason) }
            return Self.ada
        }
        let first = await world.server.stream()
        #expect(first.request.headers["authorization"] == "Bearer \(Self.ada)")
        first.refuse(401)
        let second = await world.server.stream(2)
        second.begin()
        second.send(ScriptedServer.state(0, ["guests": [], "visits": 0]), ScriptedServer.ready(0))
        #expect(store.connection.status == .live)
        for _ in 0..<5 {
            world.clock.advance(by: .seconds(14))
            second.tell(.bytes([10]))
        }
        await until { asked.withLock { $0.count } == 3 }
        #expect(asked.withLock { $0 } == [.first, .unauthorized, .expired])
        #expect(second.isOpen)
    }

    @Test func `a second refusal is told`() async {
        let store = world.store { _ in Self.ada }
        await world.server.stream().refuse(401)
        await world.server.stream(2).refuse(401)
        await until { store.connection.status == .unauthorized }
        #expect(world.server.streams.count == 2)
    }

    @Test func `a session is made where there is none`() async {
        let store = world.store(create: "seats")
        await world.server.stream().refuse(404)
        let post = await world.server.post()
        #expect(post.request.method == "PUT")
        #expect(post.json == ["store": "seats"])
        await world.server.answer([:], status: 201)
        _ = await world.server.stream(2)
        #expect(store.connection.status != .ended("not-found"))
    }

    @Test(arguments: [(403, "forbidden"), (404, "not-found"), (410, "session-ended")])
    func `some refusals are final`(status: Int, reason: String) async {
        let store = world.store()
        await world.server.stream().refuse(status)
        #expect(store.connection.status == .ended(reason))
    }
}
