import Stores
import StoresTesting
import Testing

/// Timers whose action a limit refuses.
@Suite struct RefusedTimerTests {
    private struct Bells: Sendable, Equatable {
        /// The deadlines by name. A bell that has rung has none.
        var due: [String: Int] = [:]
        var rung: [String] = []
        /// Whether a bell starts no effect.
        var isCalm = false
    }

    private enum BellAction: Sendable, Equatable {
        case busy
        case calm
        case ring(String)
    }

    private static let reducer = Reduce<Bells, BellAction> { state, action in
        switch action {
        case .busy: break
        case .calm: state.isCalm = true
        case .ring(let name):
            state.rung.append(name)
            state.due[name] = nil
        }
    }

    private let scheduler = TestScheduler()
    private let gates = Gates()

    private var middleware: [any Middleware<Bells, BellAction>] {
        let (busy, rung) = (gates["busy"], gates["rung"])
        return [
            Timers("bells") { state in state.due.map { StateTimer(EffectID($0), at: $1, .ring($0)) } },
            MiddlewareFunction { commit in
                switch commit.action {
                case .busy:
                    .run("busy", .parallel) {
                        await busy.wait()
                        return nil
                    }
                case .ring where !commit.state.isCalm && commit.action != .ring("still"):
                    .run("rung", .parallel) {
                        await rung.wait()
                        return nil
                    }
                case .ring, .calm: .none
                }
            },
        ]
    }

    /// Two effects run, which are as many as may.
    private func busyStore(_ due: [String: Int] = ["a": 100]) -> Store<Bells, BellAction> {
        let store = Store(
            Bells(due: due), reducer: Self.reducer, middleware: middleware,
            environment: scheduler.environment(effectLimit: 2))
        for _ in 1...2 { store.dispatch(.busy) }
        return store
    }

    private var refused: StoreFault { .actionLost(.tooManyEffects, .effect, type: "ring", label: "") }

    @Test func aRefusedTimerFiresWhenAnEffectHasEnded() {
        let store = busyStore()
        scheduler.advance(by: 100)
        #expect(store.state.rung == [])
        #expect(scheduler.faults.values == [refused])
        gates["busy"].open()
        scheduler.run()
        #expect(store.state == Bells(rung: ["a"]))
        #expect(scheduler.faults.values == [refused])
        #expect(scheduler.clock.sleepers == [])
        store.end()
    }

    @Test func aRefusedTimerFiresWhenAnEffectIsCancelled() {
        let store = busyStore()
        scheduler.advance(by: 100)
        store.cancel(id: "busy")
        scheduler.run()
        #expect(store.state.rung == ["a"])
        store.end()
    }

    @Test func aRefusedTimerIsTriedAgainAfterTheNextCommitAndReportedOnce() {
        let store = busyStore()
        scheduler.advance(by: 100)
        #expect(store.dispatch(.busy).outcome == .rejected(.tooManyEffects, index: 0))
        store.resume()
        scheduler.run()
        #expect(store.state.rung == [])
        store.dispatch(.calm)
        scheduler.run()
        #expect(store.state.rung == ["a"])
        #expect(scheduler.faults.values == [refused])
        store.end()
    }

    @Test func aRefusedTimerIsStillTheNextDeadlineForTheHost() {
        let store = busyStore()
        scheduler.advance(by: 100)
        #expect(store.core.contents.withLock { $0.pointee.nextDeadline } == 100)
        gates["busy"].open()
        scheduler.run()
        #expect(store.core.contents.withLock { $0.pointee.nextDeadline } == nil)
        store.end()
    }

    @Test func theOtherTimersOfTheGroupFireMeanwhile() {
        let store = busyStore(["a": 100, "still": 200])
        scheduler.advance(by: 100)
        scheduler.advance(by: 100)
        #expect(store.state.rung == ["still"])
        gates["busy"].open()
        scheduler.run()
        #expect(store.state.rung == ["still", "a"])
        store.end()
    }

    @Test func manyRefusedTimersFireOneAfterAnotherAsThereIsRoom() {
        let due = Dictionary(uniqueKeysWithValues: (1...20).map { ("\($0)", 100 + $0) })
        let store = busyStore(due)
        for moment in 101...120 { scheduler.advance(by: moment - scheduler.clock.now()) }
        #expect(store.state.rung == [])
        #expect(scheduler.faults.values.count == 20)
        gates["busy"].open()
        gates["rung"].open()
        scheduler.run()
        #expect(store.state.rung == (1...20).map { "\($0)" })
        #expect(scheduler.faults.values.count == 20)
    }

    @Test func aRefusedTimerThatIsRemovedDoesNotFire() {
        let store = Store(
            Bells(due: ["a": 100]),
            reducer: Compose {
                Self.reducer
                OnAction<Bells, BellAction> { state, action in if action == .calm { state.due = [:] } }
            }, middleware: middleware, environment: scheduler.environment(effectLimit: 1))
        store.dispatch(.busy)
        scheduler.advance(by: 100)
        store.dispatch(.calm)
        gates["busy"].open()
        scheduler.run()
        #expect(store.state.rung == [])
    }

    @Test func anAsyncStoreKeepsARefusedTimerToo() {
        let store = AsyncStore(
            Bells(due: ["a": 100]), reducer: Asynchronous(Self.reducer), middleware: middleware,
            environment: scheduler.environment(effectLimit: 1))
        store.send(.busy)
        scheduler.advance(by: 100)
        #expect(store.state.rung == [])
        #expect(scheduler.faults.values == [refused])
        gates["busy"].open()
        scheduler.run()
        #expect(store.state.rung == ["a"])
        store.end()
        scheduler.run()
    }
}
