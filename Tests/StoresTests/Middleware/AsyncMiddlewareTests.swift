import Stores
import Testing

@Suite("A middleware that is one asynchronous function")
struct AsyncMiddlewareTests {
    @Test("gets each commit, and its result is the next action")
    func follows() async {
        let seen = Recorder<[Int]>()
        let middleware = AsyncMiddleware<Tally, Int>("double") { state, action in
            seen.record(state.values + [action])
            return action < 8 ? action * 2 : nil
        }
        let store = Store(
            Tally(), reducer: Reduce { tally, action in tally = Tally(values: tally.values + [action]) },
            middleware: [middleware])
        await store.dispatch(2).settled()
        #expect(store.state.values == [2, 4, 8])
        #expect(seen.values == [[2, 2], [2, 4, 4], [2, 4, 8, 8]])
    }

    @Test("runs calls side by side")
    func parallel() async {
        let gate = Gate()
        let (started, start) = AsyncStream.makeStream(of: Int.self)
        let middleware = AsyncMiddleware<Tally, Int>("wait") { _, action in
            start.yield(action)
            await gate.wait()
            return nil
        }
        let store = Store(
            Tally(), reducer: Reduce { tally, action in tally = Tally(values: tally.values + [action]) },
            middleware: [middleware])
        let receipts = [1, 2].map { store.dispatch($0) }
        var iterator = started.makeAsyncIterator()
        #expect(await Set([iterator.next(), iterator.next()]) == [1, 2])
        gate.open()
        for receipt in receipts { await receipt.settled() }
    }
}
