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

/// The account of the user.
package struct UserState: StateSlice, Equatable {
    package static let key: StaticString = "user"
    /// The maximum balance in minor units.
    package static let highestBalance = 1_000_000_000_000_000

    /// In whole minor units (cents), so it is exact.
    package var balance = 0

    package init() {}

    package init(restoring persisted: PersistedValue) throws(RestorationError) {
        balance = try persisted.member("balance", in: 0...Self.highestBalance)
    }

    package func visitMembers(_ members: inout some MemberVisitor & ~Copyable) {
        members.member("balance", balance)
    }
}

/// The actions of the user slice.
package enum UserAction: DeclaredAction, Equatable {
    case balanceIncrease(Int)

    package static let catalogue = ActionSchema<UserAction>([
        ActionDeclaration(
            "user/balanceIncrease", "Pays money in; `limit-exceeded` where the balance would pass 10^15.",
            fields: .integer("value", 1...1_000_000_000_000, example: 10_000)
                .described("How much, in whole minor units (cents)."),
            embed: { .balanceIncrease($0) },
            extract: { if case .balanceIncrease(let value) = $0 { value } else { nil } })
    ])
}

/// Increases the balance, up to the limit.
package struct UserReducer: Reducer {
    package init() {}

    package func decide(_ action: UserAction, in state: UserState) -> Decision {
        switch action {
        case .balanceIncrease(let value):
            value <= UserState.highestBalance - state.balance ? .accept : .reject("limit-exceeded")
        }
    }

    package func reduce(_ state: inout UserState, _ action: UserAction) {
        switch action {
        case .balanceIncrease(let value): state.balance += value
        }
    }
}
