package import Stores

/// One state composed of every slice.
package struct AppState: HostedState, StateObject, Equatable {
    package var betting = BettingState()
    package var animal = AnimalState()
    package var login = LoginState()
    package var planner = PlannerState()

    package init() {}

    package func visit(_ members: inout some StateMembers & ~Copyable) {
        betting.visit(&members)
        members.slice(animal)
        members.slice(login)
        planner.visit(&members)
    }
}
