import Stores
import Testing

@Suite("An actor")
struct ActorTests {
    /// One letter, as one code point and as `e` with an accent. Swift's texts of the two are equal.
    private static let twins = ("caf\u{e9}", "cafe\u{301}")

    @Test("is another one if the id has other bytes, also if Swift takes the two texts for the same")
    func twinIDs() {
        let (one, other) = (ActorID(Self.twins.0), ActorID(Self.twins.1))
        #expect(Self.twins.0 == Self.twins.1)
        #expect(one != other)
        #expect(Set([one, other]).count == 2)
        #expect([one: 1, other: 2][other] == 2)
        #expect(Actor.user(one) != Actor.user(other))
        #expect(one == ActorID(Self.twins.0))
        #expect([one, other].sorted().map(\.text.utf8.count) == [6, 5])
    }

    @Test("is another one if the kind, the name or a role is another")
    func equality() {
        let ada = Actor.user("ada", name: Self.twins.0, roles: ["a", "b"])
        #expect(ada == .user("ada", name: Self.twins.0, roles: ["a", "b"]))
        #expect(ada != .guest("ada", name: Self.twins.0, roles: ["a", "b"]))
        #expect(ada != .user("ada", name: Self.twins.1, roles: ["a", "b"]))
        #expect(ada != .user("ada", roles: ["a", "b"]))
        #expect(ada != .user("ada", name: Self.twins.0, roles: ["a"]))
        #expect(Actor.user("ada", name: "") != .user("ada"))
        #expect(Actor.anonymous != .system)
    }

    @Test("has the roles with the same bytes, and no others")
    func roles() {
        let actor = Actor.user("ada", roles: ["cashier", Self.twins.0])
        #expect(actor.has("cashier") && actor.has(Self.twins.0))
        for role in [Self.twins.1, "Cashier", "cashie", ""] { #expect(!actor.has(role), "\(role)") }
        #expect(!Actor.anonymous.has(""))
    }

    @Test("is nobody by its id if it is anonymous or the system")
    func nobody() {
        for actor in [Actor.anonymous, .system] {
            #expect(actor.id.isEmpty && actor.name == nil && actor.roles.isEmpty)
        }
    }

    @Test("takes one word, also where it may be missing")
    func size() {
        #expect(MemoryLayout<Actor?>.size == MemoryLayout<Int>.size)
    }
}

@Suite("The actor of a commit")
struct CommitActorTests {
    private let seen = Recorder<Actor>()
    private let scheduler = TestScheduler()

    private func store() -> Store<Tally, TallyAction> {
        let watching = CommitLogger<Tally, TallyAction> { [seen] commit in seen.record(commit.actor) }
        let working = MiddlewareFunction<Tally, TallyAction>.working { number, _ in .add(number) }
        return Store(
            Tally(), reducer: TallyReducer(), middleware: [watching, working], environment: scheduler.environment())
    }

    @Test("is anonymous for who sends it in the process, and the system for an effect")
    func inProcess() {
        let store = store()
        store.dispatch(.start(1))
        store.dispatch(batch: [.add(2), .add(3)])
        scheduler.run()
        #expect(store.state.values == [2, 3, 1])
        #expect(seen.values == [.anonymous, .anonymous, .anonymous, .system])
    }

    @Test("is the one that the host names, for each action of a batch, and not for the effects that follow")
    func named() {
        let store = store()
        let ada = Actor.user("ada", name: "Ada", roles: ["cashier"])
        _ = store.submit(.start(1), Envelope(.client, by: ada))
        _ = store.submit(.add(2), Envelope(.client, .init(remainingActions: [.add(3)]), by: ada))
        scheduler.run()
        #expect(seen.values == [ada, ada, ada, .system])
    }

    @Test("is that of the whole action for the middleware of a part")
    func inPart() {
        let part = MiddlewareFunction<Tally, TallyAction> { [seen] commit in
            seen.record(commit.actor)
            return .none
        }
        let store = Store(
            NestedTally(), reducer: Scope(\NestedTally.tally, NestedAction.tally, TallyReducer().with(part)))
        _ = store.submit(.tally(.add(1)), Envelope(.client, by: .user("ada")))
        #expect(seen.values == [.user("ada")])
    }
}

private struct NestedTally: Sendable { var tally = Tally() }

private enum NestedAction: Sendable { case tally(TallyAction) }
