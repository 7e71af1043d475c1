import StoreHosting
import StoreKinds
import Stores
import Testing

@Suite struct CounterTests {
    @Test(arguments: [
        (0, Counter.increment(1), Decision.accept, 1), (0, Counter.decrement(1_000_000), .accept, -1_000_000),
        (.max - 1, Counter.increment(1), .accept, .max), (.max, Counter.increment(1), .reject("overflow"), .max),
        (.min + 2, Counter.decrement(2), .accept, .min), (.min, Counter.decrement(1), .reject("overflow"), .min),
        (.min, Counter.increment(1), .accept, .min + 1),
    ])
    func counts(_ count: Int, _ action: StoreAction<Counter>, _ decision: Decision, _ result: Int) {
        var state = Counter()
        state.count = count
        #expect(Counter.elements.definition(state).reducer.apply(action, to: &state) == decision)
        #expect(state.count == result)
    }
}
