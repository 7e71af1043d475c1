package import Stores

/// The betting slices' reducers, combined variadically, with the rule that ties two of them.
package struct BettingReducer: HostedReducer {
    private typealias Part<Rules: Reducer> = Slice<BettingState, BettingAction, Rules>

    private let all: CombinedList<BettingState, BettingAction> = combine(
        Part(\.counter, .counter, CounterReducer()),
        Part(\.user, .user, UserReducer()),
        Part(\.betslip, .betslip, BetslipReducer()),
        PlaceBetRule())

    package init() {}

    package func decide(_ action: BettingAction, in state: BettingState) -> Decision { all.decide(action, in: state) }
    package func reduce(_ state: inout BettingState, _ action: BettingAction) { all.reduce(&state, action) }
}
