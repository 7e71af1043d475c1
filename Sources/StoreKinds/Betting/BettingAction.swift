package import Stores

/// The actions of the betting slices, nested.
package enum BettingAction: CataloguedAction, Equatable {
    case counter(CounterAction)
    case user(UserAction)
    case betslip(BetslipAction)

    package static let catalogue = ActionCatalogue<BettingAction>(
        joining:
            CounterAction.catalogue.embedded(in: .counter),
        UserAction.catalogue.embedded(in: .user),
        BetslipAction.catalogue.embedded(in: .betslip))
}

extension CasePath<BettingAction, CounterAction> {
    static var counter: Self {
        Self(embed: { .counter($0) }, lend: { if case .counter(let action) = $0 { $1(action) } })
    }
}

extension CasePath<BettingAction, UserAction> {
    static var user: Self {
        Self(embed: { .user($0) }, lend: { if case .user(let action) = $0 { $1(action) } })
    }
}

extension CasePath<BettingAction, BetslipAction> {
    static var betslip: Self {
        Self(embed: { .betslip($0) }, lend: { if case .betslip(let action) = $0 { $1(action) } })
    }
}
