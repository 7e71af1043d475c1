package import Stores

/// Fills and empties the betslip. What is placed costs money, which is not this slice's: see ``PlaceBetRule``.
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
        case .placeBet: .ignore
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
    /// Ids are compared by code point, as JSON compares: not by canonical equivalence, as `String` does.
    fileprivate func place(of id: String) -> Int? { selections.firstIndex { $0.id.utf8.elementsEqual(id.utf8) } }
}
