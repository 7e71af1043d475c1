package import Stores

/// Counts; a count that would not fit 64 bits is rejected as `overflow`.
package struct CounterReducer: Reducer {
    package init() {}

    package func decide(_ action: CounterAction, in state: CounterState) -> Decision {
        Self.count(state.count, after: action) == nil ? .reject("overflow") : .accept
    }

    package func reduce(_ state: inout CounterState, _ action: CounterAction) {
        guard let count = Self.count(state.count, after: action) else { return }
        state.count = count
    }

    private static func count(_ count: Int, after action: CounterAction) -> Int? {
        let (sum, overflow) =
            switch action {
            case .increment(let step): count.addingReportingOverflow(step)
            case .decrement(let step): count.subtractingReportingOverflow(step)
            }
        return overflow ? nil : sum
    }
}
