package import StoreHosting
import Stores

/// A counter, an account and a betslip, with a rule across two of them.
package struct Betting: Sendable, Equatable {
    package var counter = Counter()
    package var user = User()
    package var betslip = Betslip()

    package init() {}

    package static let counter = Part("counter", \Betting.counter) { Counter.elements }
    package static let user = Part("user", \Betting.user) { User.elements }
    package static let betslip = Part("betslip", \Betting.betslip) { Betslip.elements }

    /// The user pays for placed bets in the same commit.
    package static let placeBet = Action<Betting, Void>(
        "betslip/placeBet",
        "Makes a bet of every selection and pays for them; `empty-betslip`, `missing-stake` or "
            + "`insufficient-balance` where it cannot.",
        rules: .reject("empty-betslip") { $0.betslip.selections.isEmpty },
        .reject("missing-stake") { $0.betslip.selections.contains { $0.stake == 0 } },
        .reject("insufficient-balance") { $0.betslip.totalStake > $0.user.balance }
    ) { betting in
        betting.user.balance -= betting.betslip.totalStake
        betting.betslip.place()
    }

    package static let elements = StoreElements<Betting> {
        counter
        user
        betslip
        placeBet
    }

    package static let store = StoreDefinition(
        "betting", "Reducers combined, with a rule across two slices.", Betting()
    ) { elements }
}
