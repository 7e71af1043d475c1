import StoreKinds
import Stores
import Testing

@Suite struct CounterTests {
    @Test(arguments: [
        (0, CounterAction.increment(by: 1), Decision.accept, 1), (0, .decrement(by: 1_000_000), .accept, -1_000_000),
        (.max - 1, .increment(by: 1), .accept, .max), (.max, .increment(by: 1), .reject("overflow"), .max),
        (.min + 2, .decrement(by: 2), .accept, .min), (.min, .decrement(by: 1), .reject("overflow"), .min),
        (.min, .increment(by: 1), .accept, .min + 1),
    ])
    func counts(_ count: Int, _ action: CounterAction, _ decision: Decision, _ result: Int) {
        var state = CounterState()
        state.count = count
        #expect(CounterReducer().apply(action, to: &state) == decision)
        #expect(state.count == result)
    }
}
