package import Stores

/// One state composed of every slice.
package struct AppState: HostedState, StateObject, Restorable, Equatable {
    package var betting = BettingState()
    package var animal = AnimalState()
    package var login = LoginState()
    package var planner = PlannerState()

    package init() {}

    package init(restoring kept: KeptValue) throws(RestorationFailure) {
        betting = try BettingState(restoring: kept)
        animal = try kept.slice()
        login = try kept.slice()
        planner = try PlannerState(restoring: kept)
    }

    package func visit(_ members: inout some StateMembers & ~Copyable) {
        betting.visit(&members)
        members.slice(animal)
        members.slice(login)
        planner.visit(&members)
    }

    package func visitHidden(_ members: inout HiddenMembers) {
        members.slice(animal)
        members.slice(login)
        planner.visitHidden(&members)
    }
}
