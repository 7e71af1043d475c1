package import Stores

/// Pays money in, up to the account's limit.
package struct UserReducer: Reducer {
    package init() {}

    package func decide(_ action: UserAction, in state: UserState) -> Decision {
        switch action {
        case .balanceIncrease(let value):
            value <= UserState.highestBalance - state.balance ? .accept : .reject("limit-exceeded")
        }
    }

    package func reduce(_ state: inout UserState, _ action: UserAction) {
        switch action {
        case .balanceIncrease(let value): state.balance += value
        }
    }
}
