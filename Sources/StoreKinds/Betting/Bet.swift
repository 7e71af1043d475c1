package import JSON
package import Stores

/// A selection that was placed.
package struct Bet: Sendable, Equatable {
    package let number: Int
    package let selection: BetSelection

    /// What it pays if it wins, rounded down. At most 10^12 × 10^5 before the division, which 64 bits hold.
    package var potentialReturn: Int { selection.stake * selection.odds / 100 }
}

extension Bet: JSONEncodable {
    package func encode(into json: inout JSONWriter) {
        json.object { json in
            json.member("bet", number)
            selection.encodeMembers(into: &json)
            json.member("potentialReturn", potentialReturn)
        }
    }
}

extension Bet: Restorable {
    package init(restoring kept: KeptValue) throws(RestorationFailure) {
        number = try kept.member("bet")
        selection = try BetSelection(restoring: kept)
    }
}
