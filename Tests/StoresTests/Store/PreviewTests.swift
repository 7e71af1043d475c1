import Stores
import Testing

@Suite("A state that an asynchronous reducer shows before it returns")
struct PreviewTests {
    /// Shows a tally with −1, waits, and then does what the action says: a negative number is rejected, and 0 ignored.
    private struct Showing: AsyncReducer {
        let shown = Gate()
        let mayReturn = Gate()

        func reduce(
            _ state: Tally, _ action: Int, show: @Sendable (Tally) -> Void
        ) async throws(Rejection) -> Tally? {
            show(Tally(values: state.values + [-1]))
            shown.open()
            await mayReturn.wait()
            if action < 0 { throw "negative" }
            return action == 0 ? nil : Tally(values: state.values + [action])
        }
    }

    @Test("is read and observed at once, has no revision, and is taken back if nothing follows", arguments: [1, 0, -1])
    func isSeen(number: Int) async {
        let (reducer, states, commits) = (Showing(), Recorder<[Int]>(), Recorder<[Int]>())
        let store = AsyncStore(Tally(), reducer: reducer)
        let subscriptions = [
            store.observe { states.record($0.values) }, store.subscribe { commits.record($0.state.values) },
        ]
        async let receipt = store.dispatch(number)
        await reducer.shown.wait()
        #expect(store.state.values == [-1] && store.revision == 0)
        reducer.mayReturn.open()
        let outcomes: [Int: Outcome] = [1: .committed, 0: .ignored, -1: .rejected("negative", index: 0)]
        #expect(await receipt.outcome == outcomes[number])
        #expect(states.values == [[], [-1], number == 1 ? [1] : []])
        #expect(commits.values == (number == 1 ? [[1]] : []))
        #expect(store.state.values == (number == 1 ? [1] : []))
        withExtendedLifetime(subscriptions) {}
    }

    @Test("is no base for the commit: a middleware sees the committed state before it")
    func isNoBase() async {
        let (reducer, previous) = (Showing(), Recorder<[Int]?>())
        let logger = CommitLogger<Tally, Int>(previousState: true) { previous.record($0.previousState?.values) }
        let store = AsyncStore(Tally(), reducer: reducer, middleware: [logger])
        reducer.mayReturn.open()
        await store.dispatch(5)
        #expect(previous.values == [[]])
    }

    @Test("is taken back if the store ends meanwhile")
    func theStoreEnds() async {
        let reducer = Showing()
        let store = AsyncStore(Tally(), reducer: reducer)
        async let receipt = store.dispatch(1)
        await reducer.shown.wait()
        store.end()
        reducer.mayReturn.open()
        #expect(await receipt.outcome == .ended)
        #expect(store.state.values == [])
    }
}
