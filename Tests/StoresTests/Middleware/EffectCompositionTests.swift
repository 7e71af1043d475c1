import Locks
import Stores
import Testing

/// Effects of parts. Some of these tests repeat tests of the Composable Architecture, by intent.
@Suite struct EffectCompositionTests {
    private let scheduler = TestScheduler()
    private let gates = Gates()
    private let events = Recorder<String>()

    private func store(_ policy: EffectPolicy = .latest, _ nest: Nest = Nest()) -> Store<Nest, NestAction> {
        Store(
            nest, reducer: NestReducer(gates: gates, policy: policy),
            environment: scheduler.environment { [events] in events.record("\($0.effect) \($0.phase)") })
    }

    private func open(_ names: String...) {
        for name in names { gates[name].open() }
        scheduler.run()
    }

    private func nest(_ change: (inout Nest) -> Void) -> Nest {
        var nest = Nest()
        change(&nest)
        return nest
    }

    @Test(arguments: [EffectPolicy.latest, .leading, .queued(limit: 0)])
    func oneMiddlewareOfTwoPropertiesDoesNotDisturbItself(_ policy: EffectPolicy) {
        let store = store(policy)
        #expect(store.dispatch(.left(.sing("a"))).effects == ["song"])
        #expect(store.dispatch(.right(.sing("b"))).effects == ["song"])
        store.dispatch(.right(.hush))
        scheduler.run()
        open("a", "b")
        #expect(store.state.left.ticks == 1)
        #expect(store.state.right.ticks == 0)
        #expect(events.values == ["song started", "song started", "song cancelled", "song succeeded"])
    }

    @Test func anEffectIsReplacedWithinItsPropertyOnly() {
        let store = store()
        store.dispatch(.left(.sing("a")))
        store.dispatch(.right(.sing("b")))
        store.dispatch(.left(.sing("c")))
        scheduler.run()
        open("a", "b", "c")
        #expect(store.state.left.ticks == 1)
        #expect(store.state.right.ticks == 1)
    }

    // IfLet: the effects of a child end when it becomes nil, and a new child does not get them.
    @Test func effectsOfAnOptionalEndWithIt() {
        let store = store(.latest, nest { $0.maybe = Bird("first") })
        let receipt = store.dispatch(.maybe(.sing("a")))
        scheduler.run()
        store.dispatch(.set(nest { $0.maybe = nil }))
        #expect(events.values == ["song started", "song cancelled"])
        #expect(receipt.isSettled)
        store.dispatch(.set(nest { $0.maybe = Bird("second") }))
        open("a")
        #expect(store.state.maybe?.ticks == 0)
        store.dispatch(.maybe(.sing("b")))
        open("b")
        #expect(store.state.maybe?.ticks == 1)
    }

    @Test func aRemovalWithinABatchEndsTheEffectsToo() {
        let store = store(.latest, nest { $0.maybe = Bird("first") })
        store.dispatch(.maybe(.sing("a")))
        scheduler.run()
        store.dispatch(batch: [.set(Nest()), .set(nest { $0.maybe = Bird("second") })])
        #expect(events.values == ["song started", "song cancelled"])
        open("a")
        #expect(store.state.maybe?.ticks == 0)
    }

    // Grandchild: its effects end when the child ends, and when it ends itself.
    @Test(arguments: [true, false]) func effectsOfAGrandchildEndWithItAndWithTheChild(_ childEnds: Bool) {
        var parent = Bird("parent")
        parent.chick = Chick(id: 1)
        let both = nest { $0.maybe = parent }
        let store = store(.latest, both)
        store.dispatch(.maybe(.chick(.sing("a"))))
        store.dispatch(.maybe(.sing("b")))
        scheduler.run()
        store.dispatch(.set(nest { $0.maybe = childEnds ? nil : Bird("parent") }))
        store.dispatch(.set(both))
        open("a", "b")
        #expect(store.state.maybe?.chick?.ticks == 0)
        #expect(store.state.maybe?.ticks == (childEnds ? 0 : 1))
    }

    // Identifiable child: one with another id is another child.
    @Test(arguments: [1, 2]) func aChildWithAnotherIDIsAnotherChild(_ id: Int) {
        let store = store(.latest, nest { $0.left.chick = Chick(id: 1) })
        store.dispatch(.left(.chick(.sing("a"))))
        scheduler.run()
        store.dispatch(.set(nest { $0.left.chick = Chick(id: id) }))
        open("a")
        #expect(store.state.left.chick?.ticks == (id == 1 ? 1 : 0))
    }

    // ForEach: the effects of an element end when it is removed, and the effects of the others continue.
    @Test func effectsOfAnElementEndWithIt() {
        let store = store(.latest, nest { $0.birds = ["x": Bird("x"), "y": Bird("y")] })
        for name in ["x", "y"] { store.dispatch(.bird(ElementAction(name, .sing(name)))) }
        scheduler.run()
        store.dispatch(.set(nest { $0.birds = ["y": Bird("y")] }))
        store.dispatch(.set(nest { $0.birds = ["x": Bird("x"), "y": Bird("y")] }))
        open("x", "y")
        #expect(store.state.birds.mapValues(\.ticks) == ["x": 0, "y": 1])
    }

    @Test func anElementDoesNotReplaceTheEffectOfAnother() {
        let store = store(.latest, nest { $0.list = [Bird("x"), Bird("y")] })
        for index in 0...1 { store.dispatch(.listed(ElementAction(index, .sing("\(index)")))) }
        scheduler.run()
        open("0", "1")
        #expect(store.state.list.map(\.ticks) == [1, 1])
    }

    // IfCaseLet: two cases with the same child. The effect of one does not replace that of the other, and ends with its case.
    @Test func effectsOfACaseEndWithItAndNotThoseOfItsSibling() {
        let store = store(.latest, nest { $0.guest = .bird(Bird()) })
        store.dispatch(.guest(.bird(.sing("a"))))
        scheduler.run()
        store.dispatch(.set(nest { $0.guest = .other(Bird()) }))
        #expect(events.values == ["song started", "song cancelled"])
        store.dispatch(.guest(.other(.sing("b"))))
        scheduler.run()
        open("a", "b")
        #expect(store.state.guest == .other(bird(ticks: 1)))
    }

    private func bird(ticks: Int) -> Bird {
        var bird = Bird()
        bird.ticks = ticks
        return bird
    }

    @Test func effectsOfARemovedPartDoNotCountAgainstALimit() {
        let store = Store(
            nest { $0.maybe = Bird() }, reducer: NestReducer(gates: gates),
            environment: scheduler.environment(effectLimit: 1))
        store.dispatch(.maybe(.sing("a")))
        #expect(
            store.dispatch(batch: [.left(.sing("b")), .set(Nest())]).outcome == .rejected(.tooManyEffects, index: 0))
        #expect(store.dispatch(batch: [.set(Nest()), .left(.sing("b"))]).outcome == .committed)
        open("b")
        #expect(store.state.left.ticks == 1)
    }

    @Test func anActionForAnAbsentPartStartsNothing() {
        let store = store()
        #expect(store.dispatch(.maybe(.sing("a"))).outcome == .ignored)
        #expect(store.dispatch(.bird(ElementAction("x", .sing("a")))).outcome == .ignored)
        #expect(events.values.isEmpty)
    }

    @Test func interceptorsComposeToo() {
        let store = store(.latest, nest { ($0.maybe, $0.birds, $0.guest) = (Bird(), ["x": Bird()], .bird(Bird())) })
        let mute = BirdAction.sing("mute")
        for action in [NestAction.left(mute), .maybe(mute), .bird(ElementAction("x", mute)), .guest(.bird(mute))] {
            #expect(store.dispatch(action).outcome == .rejected("mute", index: 0))
        }
        #expect(store.dispatch(.guest(.other(mute))).outcome == .ignored)
    }

    @Test func everyPartIsResumed() {
        let seven = bird(ticks: 7)
        let store = store(
            .latest,
            nest { ($0.left, $0.maybe, $0.birds, $0.list) = (seven, seven, ["x": seven, "y": Bird()], [seven]) })
        store.resume()
        #expect(store.state.left.ticks == 8)
        #expect(store.state.maybe?.ticks == 8)
        #expect(store.state.birds.mapValues(\.ticks) == ["x": 8, "y": 0])
        #expect(store.state.list.map(\.ticks) == [8])
    }

    @Test(arguments: [true, false]) func anIntervalOfAThrottledEffectEndsWithItsPart(_ latest: Bool) {
        let store = store(
            .throttled(every: .seconds(60), latest: latest), nest { ($0.maybe, $0.birds) = (Bird(), ["x": Bird()]) })
        for name in ["a", "b"] { gates[name].open() }
        store.dispatch(.maybe(.sing("a")))
        store.dispatch(.bird(ElementAction("x", .sing("a"))))
        scheduler.run()
        store.dispatch(.set(Nest()))
        store.dispatch(.set(nest { ($0.maybe, $0.birds) = (Bird(), ["x": Bird()]) }))
        #expect(store.dispatch(.maybe(.sing("b"))).effects == ["song"])
        #expect(store.dispatch(.bird(ElementAction("x", .sing("b")))).effects == ["song"])
        scheduler.run()
        #expect(store.state.maybe?.ticks == 1)
        #expect(store.state.birds["x"]?.ticks == 1)
    }

    @Test func anIntervalGoesOnWhileItsPartIsThere() {
        let store = store(.throttled(every: .seconds(60), latest: false), nest { $0.maybe = Bird() })
        gates["a"].open()
        for _ in 1...2 {
            store.dispatch(.maybe(.sing("a")))
            scheduler.run()
        }
        #expect(store.state.maybe?.ticks == 1)
    }

    private func alarmed(_ moment: Int) -> Bird {
        var bird = Bird()
        bird.alarm = moment
        return bird
    }

    @Test func timersOfPartsAreArmedByWhicheverActionChangesThem() {
        let store = store()
        store.dispatch(
            .set(
                nest {
                    ($0.left, $0.maybe, $0.birds) = (alarmed(10), alarmed(20), ["x": alarmed(30), "y": alarmed(30)])
                }))
        scheduler.advance(by: 30)
        #expect(store.state.left.ticks == 1)
        #expect(store.state.maybe?.ticks == 1)
        #expect(store.state.birds.mapValues(\.ticks) == ["x": 1, "y": 1])
    }

    @Test func timersOfARemovedPartDoNotFire() {
        let store = store(.latest, nest { ($0.maybe, $0.birds) = (alarmed(10), ["x": alarmed(10), "y": alarmed(20)]) })
        store.resume()
        scheduler.run()
        store.dispatch(.set(nest { $0.birds = ["y": alarmed(20)] }))
        store.dispatch(.set(nest { ($0.maybe, $0.birds) = (Bird(), ["x": Bird(), "y": alarmed(20)]) }))
        scheduler.advance(by: 20)
        #expect(store.state.maybe?.ticks == 0)
        #expect(store.state.birds.mapValues(\.ticks) == ["x": 0, "y": 1])
        store.end()
    }

    // An action that the old child has dispatched is not for the new one.
    @Test func anActionThatARemovedPartHadDispatchedIsDropped() {
        let child = BirdReducer().with(MiddlewareFunction { $0.action == .hush ? .dispatch(.tick) : .none })
        let store = Store(
            nest { $0.maybe = Bird("first") },
            reducer: Compose {
                OnAction<Nest, NestAction> { state, action in
                    if action == .left(.tick) { state.maybe = nil }
                    if action == .right(.tick) { state.maybe = Bird("second") }
                }
                Scope(\.left, .left, BirdReducer())
                Scope(\.right, .right, BirdReducer())
                Scope(\.maybe, .maybe, IfPresent(child))
            },
            environment: scheduler.environment())
        let subscription = store.subscribe { [weak store] commit in
            // Queued before the action that the middleware dispatches.
            guard commit.action == .maybe(.hush) else { return }
            store?.dispatch(.left(.tick))
        }
        store.dispatch(.maybe(.hush))
        store.dispatch(.right(.tick))
        #expect(store.state.maybe == Bird("second"))
        #expect(store.revision == 3)
        subscription.cancel()
    }

    @Test func middlewareOfAnUndoableOrGuardedReducerGoesAlong() {
        let reducer = Undoable(
            Invariants([Invariant("few") { $0.ticks < 3 }], of: BirdReducer().with(BirdMiddleware(gates: gates))),
            limit: 3)
        let store = Store(History(Bird()), reducer: reducer, environment: scheduler.environment())
        store.dispatch(.present(.sing("a")))
        open("a")
        #expect(store.state.present.ticks == 1)
        store.dispatch(.undo)
        #expect(store.state.present.ticks == 0)
    }

    @Test func anAsyncStoreComposesToo() async {
        let store = AsyncStore(
            nest { $0.maybe = Bird() }, reducer: Asynchronous(NestReducer(gates: gates)))
        let receipt = await store.dispatch(.maybe(.sing("a")))
        #expect(receipt.effects == ["song"])
        await store.dispatch(.set(Nest()))
        await receipt.settled()
        await store.dispatch(.set(nest { $0.maybe = Bird() }))
        gates["a"].open()
        await store.dispatch(.left(.tick))
        #expect(store.state.maybe?.ticks == 0)
        #expect(store.state.left.ticks == 1)
    }

    @Test(arguments: [EffectPolicy.parallel, .latest, .leading, .queued(limit: 2), .throttled(every: .seconds(1))])
    func effectsWithOneNameInOneAnswerAllRun(_ policy: EffectPolicy) {
        let store = merging(policy)
        let receipt = store.dispatch(.start(0))
        #expect(receipt.effects == ["work", "work", "work"])
        scheduler.run()
        #expect(store.state.values == [1, 2, 3])
        #expect(receipt.isSettled)
    }

    @Test func aLaterAnswerReplacesAllEffectsOfAnEarlierOne() {
        let store = merging(.debounced(for: .milliseconds(10)))
        store.dispatch(.start(0))
        scheduler.advance(by: 5)
        store.dispatch(.start(10))
        scheduler.advance(by: 10)
        #expect(store.state.values == [11, 12, 13])
    }

    private func merging(_ policy: EffectPolicy) -> Store<Tally, TallyAction> {
        let middleware = MiddlewareFunction<Tally, TallyAction> { commit in
            guard case .start(let base) = commit.action else { return .none }
            return .merge((1...3).map { number in .run("work", policy) { .add(base + number) } })
        }
        return Store(
            Tally(), reducer: TallyReducer(), middleware: [middleware], environment: scheduler.environment())
    }
}
