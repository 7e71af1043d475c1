package import StoreHosting
import Stores

/// The account of the user.
package struct User: Sendable, Equatable {
    /// The maximum balance in minor units.
    package static let highestBalance = 1_000_000_000_000_000

    /// In whole minor units (cents), so it is exact.
    package var balance = 0

    package init() {}

    package static let balanceIncrease = Action<User, Int>(
        "balanceIncrease", "Pays money in; `limit-exceeded` where the balance would pass 10^15.",
        .integer("value", 1...1_000_000_000_000, example: 10_000).described("How much, in whole minor units (cents)."),
        rules: .reject("limit-exceeded") { user, value in value > highestBalance - user.balance }
    ) { $0.balance += $1 }

    package static let elements = StoreElements<User> {
        Member("balance", \.balance)
        Check("balance", "must be from 0 to \(highestBalance)") { (0...highestBalance).contains($0.balance) }
        balanceIncrease
    }
}
