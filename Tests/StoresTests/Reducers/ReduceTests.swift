import Stores
import StoresTesting
import Testing

@Suite struct ReduceTests {
    private enum Step: Sendable { case up, down }

    @Test func aClosureAcceptsEveryAction() {
        let store = Store(
            0,
            reducer: Reduce<Int, Step> { count, step in
                if step == .up { count += 1 }
            })
        #expect(store.dispatch(.up).outcome == .committed)
        #expect(store.dispatch(.down).outcome == .committed)
        #expect(store.state == 1)
    }

    @Test func oneClosureMayDecide() {
        let reducer = Reduce<Int, Step>(
            decide: { step, count in step == .down && count == 0 ? .reject("empty") : .accept },
            reduce: { count, step in count += step == .up ? 1 : -1 })
        let store = Store(0, reducer: reducer)
        #expect(store.dispatch(.down).outcome == .rejected("empty", index: 0))
        store.dispatch(.up)
        store.dispatch(.down)
        #expect(store.state == 0 && store.revision == 2)
    }

    @Test func standsInAListWithOthers() {
        let reducer = Compose<Int, Step> {
            Reduce { count, _ in count += 1 }
            OnAction { count, step in
                if step == .up { count *= 10 }
            }
        }
        let store = Store(0, reducer: reducer)
        store.dispatch(.down)
        store.dispatch(.up)
        #expect(store.state == 20)
    }

    @Test func aReducerThatAcceptsNothingIsRefused() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            stopWithoutBacktrace()
            _ = Store(0, reducer: OnAction<Int, Int> { $0 += $1 })
        }
        let message = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(message.contains("OnAction is the only reducer of a store."))
    }

    enum Place: String, Codable, Sendable, CaseIterable { case asyncStore, testStore, undoable, element }

    @Test(arguments: Place.allCases)
    func itIsRefusedWhereverItStands(_ place: Place) async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) { [place] in
            stopWithoutBacktrace()
            let follower = OnAction<Int, Int> { $0 += $1 }
            switch place {
            case .asyncStore: _ = AsyncStore(0, reducer: Asynchronous(follower))
            case .testStore: _ = TestStore(0, reducer: follower)
            case .undoable: _ = Store(History(0), reducer: Undoable(follower, limit: 1))
            case .element: _ = AsyncStore([0], reducer: Asynchronous(ForEach<[Int], OnAction<Int, Int>>(follower)))
            }
        }
        let message = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(message.contains("OnAction is the only reducer of a store."))
    }

    /// Swift takes a method with another label for another method, and calls the default of the one that was meant.
    @Test func theOtherSpellingsOfMethodsWithADefaultAreCalled() {
        struct Even: Reducer {
            func decide(_ action: Int, in state: Int) -> Decision { .accept }
            func reduce(_ state: inout Int, _ action: Int) { state += action }
            func concerns(action: Int) -> Bool { action.isMultiple(of: 2) }
        }
        struct Resumer: Middleware {
            func respond(to commit: borrowing Commit<Int, Int>) -> Effect<Int> { .none }
            func resume(from state: Int) -> Effect<Int> { .dispatch(6) }
        }
        let store = Store(0, reducer: combine(Even()), middleware: [Resumer()])
        #expect(store.dispatch(3).outcome == .ignored)
        #expect(store.dispatch(4).outcome == .committed)
        store.resume()
        #expect(store.state == 10)
    }
}
