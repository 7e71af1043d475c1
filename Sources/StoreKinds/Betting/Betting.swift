package import StoreHosting
package import Stores

/// A counter, an account and a betslip.
package struct BettingState: HostedState, ObjectState, Restorable, Equatable {
    package var counter = CounterState()
    package var user = UserState()
    package var betslip = BetslipState()

    package init() {}

    package init(restoring persisted: PersistedValue) throws(RestorationError) {
        counter = try persisted.slice()
        user = try persisted.slice()
        betslip = try persisted.slice()
    }

    package func visitMembers(_ members: inout some MemberVisitor & ~Copyable) {
        members.slice(counter)
        members.slice(user)
        members.slice(betslip)
    }
}

/// The actions of the betting slices, nested.
package enum BettingAction: DeclaredAction, Equatable {
    case counter(CounterAction)
    case user(UserAction)
    case betslip(BetslipAction)

    package static let catalogue = ActionSchema<BettingAction>(
        joining:
            CounterAction.catalogue.embedded(in: .counter),
        UserAction.catalogue.embedded(in: .user),
        BetslipAction.catalogue.embedded(in: .betslip))
}

extension CasePath<BettingAction, CounterAction> {
    static var counter: Self {
        Self(embed: { .counter($0) }, extract: { if case .counter(let action) = $0 { $1(action) } })
    }
}

extension CasePath<BettingAction, UserAction> {
    static var user: Self {
        Self(embed: { .user($0) }, extract: { if case .user(let action) = $0 { $1(action) } })
    }
}

extension CasePath<BettingAction, BetslipAction> {
    static var betslip: Self {
        Self(embed: { .betslip($0) }, extract: { if case .betslip(let action) = $0 { $1(action) } })
    }
}

/// The reducers of the betting slices, combined with the rule across two of them.
package struct BettingReducer: HostedReducer, ComposedReducer {
    package init() {}

    package var body: some Reducer<BettingState, BettingAction> {
        Scope(\.counter, .counter, CounterReducer())
        Scope(\.user, .user, UserReducer())
        Scope(\.betslip, .betslip, BetslipReducer())
        PlaceBetRule()
    }
}
