package import StoreHosting
package import Stores

/// The open selections and the placed bets.
package struct BetslipState: StateSlice, Equatable {
    package static let key: StaticString = "betslip"
    /// The maximum number of open selections.
    package static let size = 20

    package var selections: [BetSelection] = []
    @Tracked package private(set) var placed: [Bet] = []

    package init() {}

    /// The sum of the stakes of the open selections. 20 stakes of 10^12 fit in 64 bits.
    package var totalStake: Int { selections.reduce(0) { $0 + $1.stake } }

    /// Makes a bet of each selection. Bets are numbered from 1, without gaps, over the life of the session.
    mutating func place() {
        for selection in selections { placed.append(Bet(number: placed.count + 1, selection: selection)) }
        selections = []
    }

    package init(restoring persisted: PersistedValue) throws(RestorationError) {
        selections = try persisted.member("selections")
        guard selections.count <= Self.size else {
            throw persisted.unreadable("must have no more than \(Self.size) elements", below: "selections")
        }
        placed = try persisted.member("placed")
        guard placed.map(\.number).elementsEqual(1..<placed.count + 1) else {
            throw persisted.unreadable("must be numbered from 1", below: "placed")
        }
    }

    package func visitMembers(_ members: inout some MemberVisitor & ~Copyable) {
        members.member("selections", selections)
        members.member("placed", placed, stamp: $placed)
        members.member("totalStake", totalStake)
    }
}

/// The actions of the betslip slice.
package enum BetslipAction: DeclaredAction, Equatable {
    case addSelection(BetSelection)
    case setStake(id: String, stake: Int)
    case removeSelection(id: String)
    case placeBet

    package static let catalogue = ActionSchema<BetslipAction>([
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

/// Changes the betslip. ``PlaceBetRule`` charges the user for placed bets.
package struct BetslipReducer: Reducer {
    package init() {}

    package func decide(_ action: BetslipAction, in state: BetslipState) -> Decision {
        switch action {
        case .addSelection(let new):
            if state.place(of: new.id) != nil {
                .reject("duplicate-selection")
            } else {
                state.selections.count < BetslipState.size ? .accept : .reject("betslip-full")
            }
        case .setStake(let id, _), .removeSelection(let id):
            state.place(of: id) == nil ? .reject("no-such-selection") : .accept
        // ``PlaceBetRule`` decides.
        case .placeBet: .follow
        }
    }

    package func reduce(_ state: inout BetslipState, _ action: BetslipAction) {
        switch action {
        case .addSelection(let new): state.selections.append(new)
        case .setStake(let id, let stake):
            if let place = state.place(of: id) { state.selections[place].stake = stake }
        case .removeSelection(let id):
            if let place = state.place(of: id) { state.selections.remove(at: place) }
        case .placeBet: break
        }
    }
}

extension BetslipState {
    /// Compares ids by code point, as JSON does, and not by canonical equivalence, as `String` does.
    fileprivate func place(of id: String) -> Int? { selections.firstIndex { $0.id.utf8.elementsEqual(id.utf8) } }
}

/// A rule across two slices: the user pays for placed bets in the same commit.
package struct PlaceBetRule: Reducer {
    package init() {}

    package func concerns(_ action: BettingAction) -> Bool {
        if case .betslip(.placeBet) = action { true } else { false }
    }

    package func decide(_ action: BettingAction, in state: BettingState) -> Decision {
        guard case .betslip(.placeBet) = action else { return .ignore }
        let selections = state.betslip.selections
        if selections.isEmpty { return .reject("empty-betslip") }
        if selections.contains(where: { $0.stake == 0 }) { return .reject("missing-stake") }
        return state.betslip.totalStake <= state.user.balance ? .accept : .reject("insufficient-balance")
    }

    package func reduce(_ state: inout BettingState, _ action: BettingAction) {
        guard case .betslip(.placeBet) = action else { return }
        state.user.balance -= state.betslip.totalStake
        state.betslip.place()
    }
}
