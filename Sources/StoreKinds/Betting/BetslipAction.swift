package import Stores

/// What can be done with the betslip.
package enum BetslipAction: CataloguedAction, Equatable {
    case addSelection(BetSelection)
    case setStake(id: String, stake: Int)
    case removeSelection(id: String)
    case placeBet

    package static let catalogue = ActionCatalogue<BetslipAction>([
        adding, staking, removing,
        ActionDeclaration(
            "betslip/placeBet",
            "Makes a bet of every selection and pays for them; `empty-betslip`, `missing-stake` or "
                + "`insufficient-balance` where it cannot.",
            .placeBet),
    ])

    private static var adding: ActionDeclaration<BetslipAction> {
        ActionDeclaration(
            "betslip/addSelection", "Adds a selection with stake 0; `duplicate-selection` or `betslip-full`.",
            fields: id,
            .text("event", 1...200, example: "Leeds v York").described("What is bet on."),
            .text("outcome", 1...200, example: "Leeds").described("How it is to end."),
            .integer("odds", BetSelection.oddsRange, example: 250)
                .described("The decimal odds in hundredths: 250 pays two and a half times the stake."),
            embed: { .addSelection(BetSelection(id: $0, event: $1, outcome: $2, odds: $3)) },
            extract: { action in
                guard case .addSelection(let new) = action else { return nil }
                return (new.id, new.event, new.outcome, new.odds)
            })
    }

    private static var staking: ActionDeclaration<BetslipAction> {
        ActionDeclaration(
            "betslip/setStake", "Sets what is put on a selection; `no-such-selection`.",
            fields: id,
            .integer("stake", BetSelection.stakeRange, example: 500).described("In whole minor units (cents)."),
            embed: { .setStake(id: $0, stake: $1) },
            extract: { if case .setStake(let id, let stake) = $0 { (id, stake) } else { nil } })
    }

    private static var removing: ActionDeclaration<BetslipAction> {
        ActionDeclaration(
            "betslip/removeSelection", "Takes a selection off the betslip; `no-such-selection`.",
            fields: id,
            embed: { .removeSelection(id: $0) },
            extract: { if case .removeSelection(let id) = $0 { id } else { nil } })
    }

    private static var id: Field<String> {
        .text("id", 1...200, example: "leeds-york").described("The selection's id, once on a betslip.")
    }
}
