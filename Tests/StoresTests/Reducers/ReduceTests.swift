import Stores
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
}
