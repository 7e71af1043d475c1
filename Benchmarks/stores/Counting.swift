import Stores

/// A counter, as an application writes one without a server.
struct CounterState: Sendable {
    var count = 0
}

/// The actions of a counter.
enum CounterAction: Sendable {
    case increment(by: Int)
    case decrement(by: Int)
}

/// Counts. A count that does not fit in 64 bits is rejected as `overflow`.
struct CounterReducer: Reducer {
    func decide(_ action: CounterAction, in state: CounterState) -> Decision {
        Self.count(state.count, after: action) == nil ? .reject("overflow") : .accept
    }

    func reduce(_ state: inout CounterState, _ action: CounterAction) {
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
