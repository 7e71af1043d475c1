package import Stores

/// The rule across two slices: what is placed on the betslip is paid for by the user, in one commit.
package struct PlaceBetRule: Reducer {
    package init() {}

    package func concerns(_ action: BettingAction) -> Bool {
        if case .betslip(.placeBet) = action { true } else { false }
    }

    package func decide(_ action: BettingAction, in state: BettingState) -> Decision {
        guard case .betslip(.placeBet) = action else { return .ignore }
        let selections = state.betslip.selections
        if selections.isEmpty { return .reject("empty-betslip") }
        if selections.contains(where: { $0.stake == 0 }) { return .reject("missing-stake") }
        return state.betslip.totalStake <= state.user.balance ? .accept : .reject("insufficient-balance")
    }

    package func reduce(_ state: inout BettingState, _ action: BettingAction) {
        guard case .betslip(.placeBet) = action else { return }
        state.user.balance -= state.betslip.totalStake
        state.betslip.place()
    }
}
