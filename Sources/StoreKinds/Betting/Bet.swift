package import JSON
package import StoreHosting
import Stores

/// One outcome of one event, for a bet.
package struct BetSelection: Sendable, Equatable, Identifiable {
    /// In hundredths: 101 wins one cent on one euro.
    package static let oddsRange = 101...100_000
    package static let stakeRange = 0...1_000_000_000_000

    package let id: String
    package let event: String
    package let outcome: String
    package let odds: Int
    /// In whole minor units.
    package var stake = 0

    package init(id: String, event: String, outcome: String, odds: Int) {
        self.id = id
        self.event = event
        self.outcome = outcome
        self.odds = odds
    }

    /// The common members of an open selection and a placed bet.
    func encodeMembers(into json: inout JSONWriter) {
        json.member("id", id)
        json.member("event", event)
        json.member("outcome", outcome)
        json.member("odds", odds)
        json.member("stake", stake)
    }
}

extension BetSelection: JSONEncodable {
    package func encode(into json: inout JSONWriter) {
        json.object { encodeMembers(into: &$0) }
    }
}

extension BetSelection: JSONSchemaProviding {
    package static var jsonSchema: JSONSchema { .object(properties) }

    /// The common members of an open selection and a placed bet.
    static var properties: [JSONSchema.Property] {
        [
            .required("id", .string()), .required("event", .string()), .required("outcome", .string()),
            .required("odds", .integer(oddsRange)), .required("stake", .integer(stakeRange)),
        ]
    }
}

extension BetSelection: Restorable {
    package init(restoring persisted: JSONValue.Persisted) throws(RestorationError) {
        self.init(
            id: try persisted.member("id"), event: try persisted.member("event"),
            outcome: try persisted.member("outcome"),
            odds: try persisted.member("odds", in: Self.oddsRange))
        stake = try persisted.member("stake", in: Self.stakeRange)
    }
}

/// A placed selection.
package struct Bet: Sendable, Equatable {
    package let number: Int
    package let selection: BetSelection

    /// The payout of a win, rounded down. The product before the division is at most 10^12 × 10^5, which fits in 64
    /// bits.
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

extension Bet: JSONSchemaProviding {
    package static var jsonSchema: JSONSchema {
        .object(
            [.required("bet", .integer(minimum: 1))] + BetSelection.properties
                + [.required("potentialReturn", .integer(minimum: 0))])
    }
}

extension Bet: Restorable {
    package init(restoring persisted: JSONValue.Persisted) throws(RestorationError) {
        number = try persisted.member("bet")
        selection = try BetSelection(restoring: persisted)
    }
}
