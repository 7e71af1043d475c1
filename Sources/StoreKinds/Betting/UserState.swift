package import Stores

/// The account of who bets.
package struct UserState: StateSlice, Equatable {
    package static let key: StaticString = "user"
    /// The most that an account may hold, in minor units.
    package static let highestBalance = 1_000_000_000_000_000

    /// In whole minor units (cents), so that it is exact.
    package var balance = 0

    package init() {}

    package init(restoring kept: KeptValue) throws(RestorationFailure) {
        balance = try kept.member("balance", in: 0...Self.highestBalance)
    }

    package func visit(_ members: inout some StateMembers & ~Copyable) {
        members.member("balance", balance)
    }
}
