package import Stores

/// What can happen to the account.
package enum UserAction: CataloguedAction, Equatable {
    case balanceIncrease(Int)

    package static let catalogue = ActionCatalogue<UserAction>([
        ActionDeclaration(
            "user/balanceIncrease", "Pays money in; `limit-exceeded` where the balance would pass 10^15.",
            fields: .integer("value", 1...1_000_000_000_000, example: 10_000)
                .described("How much, in whole minor units (cents)."),
            embed: { .balanceIncrease($0) },
            extract: { if case .balanceIncrease(let value) = $0 { value } else { nil } })
    ])
}
