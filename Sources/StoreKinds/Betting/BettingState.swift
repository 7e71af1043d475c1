package import Stores

/// A counter, an account and a betslip.
package struct BettingState: HostedState, StateObject, Restorable, Equatable {
    package var counter = CounterState()
    package var user = UserState()
    package var betslip = BetslipState()

    package init() {}

    package init(restoring kept: KeptValue) throws(RestorationFailure) {
        counter = try kept.slice()
        user = try kept.slice()
        betslip = try kept.slice()
    }

    package func visit(_ members: inout some StateMembers & ~Copyable) {
        members.slice(counter)
        members.slice(user)
        members.slice(betslip)
    }
}
