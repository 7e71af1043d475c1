package import StoreHosting
package import Stores

/// The open selections and the placed bets. ``Betting`` places them.
package struct Betslip: Sendable, Equatable {
    /// The maximum number of open selections.
    package static let size = 20

    package var selections: [BetSelection] = []
    @Tracked package private(set) var placed: [Bet] = []

    package init() {}

    /// The sum of the stakes of the open selections. 20 stakes of 10^12 fit in 64 bits.
    package var totalStake: Int { selections.reduce(0) { $0 + $1.stake } }

    package static let addSelection = Action<Betslip, (String, String, String, Int)>(
        "addSelection", "Adds a selection with stake 0; `duplicate-selection` or `betslip-full`.",
        id, .text("event", 1...200, example: "Leeds v York").described("What is bet on."),
        .text("outcome", 1...200, example: "Leeds").described("How it is to end."),
        .integer("odds", BetSelection.oddsRange, example: 250)
            .described("The decimal odds in hundredths: 250 pays two and a half times the stake."),
        rules: .reject("duplicate-selection") { slip, id, _, _, _ in slip.place(of: id) != nil },
        .reject("betslip-full") { slip, _, _, _, _ in slip.selections.count >= size }
    ) { slip, id, event, outcome, odds in
        slip.selections.append(BetSelection(id: id, event: event, outcome: outcome, odds: odds))
    }

    package static let setStake = Action<Betslip, (String, Int)>(
        "setStake", "Sets what is put on a selection; `no-such-selection`.",
        id, .integer("stake", BetSelection.stakeRange, example: 500).described("In whole minor units (cents)."),
        rules: .reject("no-such-selection") { slip, id, _ in slip.place(of: id) == nil }
    ) { slip, id, stake in
        if let place = slip.place(of: id) { slip.selections[place].stake = stake }
    }

    package static let removeSelection = Action<Betslip, String>(
        "removeSelection", "Takes a selection off the betslip; `no-such-selection`.", id,
        rules: .reject("no-such-selection") { slip, id in slip.place(of: id) == nil }
    ) { slip, id in
        if let place = slip.place(of: id) { slip.selections.remove(at: place) }
    }

    package static let elements = StoreElements<Betslip> {
        Member("selections", \.selections)
        Member("placed", \._placed)
        Member("totalStake") { $0.totalStake }
        Check("selections", "must have no more than \(size) elements") { $0.selections.count <= size }
        Check("placed", "must be numbered from 1") { $0.placed.map(\.number).elementsEqual(1..<$0.placed.count + 1) }
        addSelection
        setStake
        removeSelection
    }

    private static var id: Field<String> {
        .text("id", 1...200, example: "leeds-york").described("The selection's id, once on a betslip.")
    }

    /// Makes a bet of each selection. Bets are numbered from 1, without gaps, over the life of the session.
    mutating func place() {
        for selection in selections { placed.append(Bet(number: placed.count + 1, selection: selection)) }
        selections = []
    }

    /// Compares ids by code point, as JSON does, and not by canonical equivalence, as `String` does.
    private func place(of id: String) -> Int? { selections.firstIndex { $0.id.utf8.elementsEqual(id.utf8) } }
}
