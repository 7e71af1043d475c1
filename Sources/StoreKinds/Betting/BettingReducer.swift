package import Stores

/// The betting slices' reducers, combined, with the rule that ties two of them.
package struct BettingReducer: HostedReducer, ComposedReducer {
    package init() {}

    package var body: some Reducer<BettingState, BettingAction> {
        Slice(\.counter, .counter, CounterReducer())
        Slice(\.user, .user, UserReducer())
        Slice(\.betslip, .betslip, BetslipReducer())
        PlaceBetRule()
    }
}
