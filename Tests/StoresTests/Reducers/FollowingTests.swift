import Stores
import StoresTesting
import Testing

/// A part that ignores an action which a neighbour accepts, and a part that follows.
@Suite struct FollowingTests {
    struct Shop: Sendable, Equatable {
        var child = Child()
        var seen = 0
    }

    struct Child: Sendable, Equatable {
        var left = 0
        var inner = Inner()
    }

    struct Inner: Sendable, Equatable {
        var log: [String] = []
    }

    enum ShopAction: Sendable, Equatable { case child(ChildAction) }
    enum ChildAction: Sendable, Equatable { case sell, called }

    static let child = CasePath<ShopAction, ChildAction>(
        embed: { .child($0) }, extract: { if case .child(let action) = $0 { $1(action) } })

    /// A guard: nothing is sold if nothing is left.
    static var selling: Reduce<Child, ChildAction> {
        Reduce(
            decide: { action, child in action == .called || child.left > 0 ? .accept : .ignore },
            reduce: { child, action in if action == .sell { child.left -= 1 } })
    }

    static var counting: Reduce<Shop, ShopAction> { Reduce { shop, _ in shop.seen += 1 } }

    /// Calls for each sale.
    private func caller(_ calls: Recorder<Int>) -> MiddlewareFunction<Child, ChildAction> {
        MiddlewareFunction { commit in
            guard commit.action == .sell else { return .none }
            calls.record(commit.state.left)
            return .dispatch(.called)
        }
    }

    @Test func aPartThatIgnoresAnActionIsNotReducedThoughItsNeighbourAcceptsIt() {
        let store = Store(Shop(), reducer: combine(Scope(\.child, Self.child, Self.selling), Self.counting))
        #expect(store.dispatch(.child(.sell)).outcome == .committed)
        #expect(store.state == Shop(seen: 1))
    }

    @Test func aPartThatFollowsIsReducedOnlyIfANeighbourAccepts() {
        let following = Reduce<Child, ChildAction>(
            decide: { _, _ in .follow }, reduce: { child, _ in child.inner.log.append("followed") })
        let reducer = combine(
            Scope<Shop, ShopAction>(\.child, Self.child, following), Scope(\.child, Self.child, Self.selling))
        var shop = Shop()
        #expect(reducer.apply(.child(.sell), to: &shop) == .follow)
        #expect(shop == Shop())
        shop.child.left = 1
        #expect(reducer.apply(.child(.sell), to: &shop) == .accept)
        #expect(shop.child == Child(left: 0, inner: Inner(log: ["followed"])))
        #expect(Store(Shop(), reducer: reducer).dispatch(.child(.sell)).outcome == .ignored)
    }

    enum Way: CaseIterable, Sendable { case single, batch, async, test }

    /// In each way to commit an action, the middleware of a part sees no commit of an action that the part ignored.
    @Test(arguments: Way.allCases) func theMiddlewareOfAPartSeesNoCommitThatThePartIgnored(_ way: Way) async throws {
        let calls = Recorder<Int>()
        let reducer = Compose<Shop, ShopAction> {
            Scope(
                \.child, Self.child,
                Compose {
                    OnAction { child, action in child.inner.log.append("\(action)") }
                    Self.selling.with(caller(calls))
                })
            Self.counting
        }
        let start = Shop(child: Child(left: 1))
        let state: Shop
        switch way {
        case .single, .batch:
            let store = Store(start, reducer: reducer)
            if way == .batch {
                store.dispatch(batch: [.child(.sell), .child(.sell)])
            } else {
                for _ in 1...2 { #expect(store.dispatch(.child(.sell)).outcome == .committed) }
            }
            state = store.state
        case .async:
            let store = AsyncStore(start, reducer: Asynchronous(reducer))
            for _ in 1...2 { await store.dispatch(.child(.sell)).settled() }
            state = store.state
        case .test:
            let store = TestStore(start, reducer: reducer)
            store.exhaustivity = .off()
            for _ in 1...2 { try store.dispatch(.child(.sell)) }
            state = store.state
        }
        #expect(calls.values == [0], "one sale")
        #expect(state.child.left == 0)
        #expect(state.child.inner.log.filter { $0 == "sell" }.count == 2, "the part beside it followed both")
    }

    /// All parts, at any depth, decide on the state before the action, whatever an earlier part has changed since.
    @Test func anEarlierPartDoesNotChangeTheDecisionOfALaterOne() {
        let reducer = Compose<Shop, ShopAction> {
            OnAction { shop, _ in shop.child.left += 5 }
            Scope(
                \.child, Self.child,
                Compose {
                    Self.selling
                    Reduce { child, _ in child.inner.log.append("asked") }
                })
        }
        let store = Store(Shop(), reducer: reducer)
        #expect(store.dispatch(.child(.sell)).outcome == .committed)
        #expect(store.state.child == Child(left: 5, inner: Inner(log: ["asked"])))
        store.dispatch(.child(.sell))
        #expect(store.state.child.left == 9)
    }

    enum Wrapping: CaseIterable, Sendable { case optional, element, undoable, invariants, scope }

    @Test(arguments: Wrapping.allCases) func itHoldsInsideOfEachReducerThatWrapsAnother(_ wrapping: Wrapping) {
        let both = Compose<Child, ChildAction> {
            Self.selling
            Reduce { child, _ in child.inner.log.append("asked") }
        }
        let expected = Child(left: 0, inner: Inner(log: ["asked"]))
        switch wrapping {
        case .optional: expect(IfPresent(both), .sell, Child(), expected)
        case .element: expect(ForEach<[Child], _>(both), ElementAction(0, .sell), [Child()], [expected])
        case .undoable:
            var history = History(Child())
            #expect(Undoable(both, limit: 1).apply(.present(.sell), to: &history) == .accept)
            #expect(history.present == expected)
        case .invariants: expect(Invariants([], of: both), .sell, Child(), expected)
        case .scope: expect(Scope(\Child.self, .whole, both), .sell, Child(), expected)
        }
    }

    /// Beside a part that accepts everything, in one list.
    private func expect<State: Equatable & Sendable, Action: Sendable>(
        _ reducer: some Reducer<State, Action>, _ action: Action, _ state: State, _ expected: State
    ) {
        var direct = state
        reducer.reduce(&direct, action)
        #expect(direct == expected)
        let store = Store(state, reducer: combine(reducer, Reduce<State, Action> { _, _ in }))
        store.dispatch(action)
        #expect(store.state == expected)
    }

    @Test func timersOfAPartThatIgnoredAnActionAreThoseOfTheNewState() {
        struct Alarm: Sendable, Equatable { var due: Int? }
        let clock = TestClock()
        let quiet = Reduce<Alarm, Int>(
            decide: { action, _ in action == 0 ? .accept : .ignore }, reduce: { alarm, _ in alarm.due = nil }
        )
        .with(Timers("alarm") { alarm in alarm.due.map { [StateTimer("due", at: $0, 0)] } ?? [] })
        let setting = Reduce<Alarm, Int>(
            decide: { action, _ in action > 0 ? .accept : .ignore }, reduce: { alarm, action in alarm.due = action })
        let executor = ManualExecutor()
        let store = Store(
            Alarm(), reducer: combine(quiet, setting),
            environment: StoreEnvironment(clock: clock, startTask: executor.startTask))
        store.dispatch(100)
        executor.run()
        clock.advance(to: 100)
        executor.run()
        #expect(store.state == Alarm())
        #expect(store.revision == 2)
    }
}
