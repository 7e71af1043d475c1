package import Stores

/// A counter, an account and a betslip.
package struct BettingState: HostedState, StateObject, Equatable {
    package var counter = CounterState()
    package var user = UserState()
    package var betslip = BetslipState()

    package init() {}

    package func visit(_ members: inout some StateMembers & ~Copyable) {
        members.slice(counter)
        members.slice(user)
        members.slice(betslip)
    }
}
