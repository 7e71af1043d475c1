package import Stores

/// What is about to be bet on, and what was.
package struct BetslipState: StateSlice, Equatable {
    package static let key: StaticString = "betslip"
    /// How many selections may be open.
    package static let size = 20

    package var selections: [BetSelection] = []
    @Stamped package private(set) var placed: [Bet] = []

    package init() {}

    /// What the open selections cost together. 20 stakes of 10^12 are far from 64 bits.
    package var totalStake: Int { selections.reduce(0) { $0 + $1.stake } }

    /// Makes a bet of every selection; bets are numbered from 1 over the session's life.
    mutating func place() {
        for selection in selections { placed.append(Bet(number: placed.count + 1, selection: selection)) }
        selections = []
    }

    package init(restoring kept: KeptValue) throws(RestorationFailure) {
        selections = try kept.member("selections")
        guard selections.count <= Self.size else {
            throw kept.unreadable("must have no more than \(Self.size) elements", below: "selections")
        }
        placed = try kept.member("placed")
        guard placed.map(\.number).elementsEqual(1..<placed.count + 1) else {
            throw kept.unreadable("must be numbered from 1", below: "placed")
        }
    }

    package func visit(_ members: inout some StateMembers & ~Copyable) {
        members.member("selections", selections)
        members.member("placed", placed, stamp: $placed)
        members.member("totalStake", totalStake)
    }
}
