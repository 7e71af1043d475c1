package import Stores

/// Every slice's reducer, composed.
package struct AppReducer: Reducer {
    private typealias Part<Rules: Reducer> = Slice<AppState, AppAction, Rules>

    // Opaque and not `any`, so that the compiler knows the types of the parts and specializes them.
    private let all: some Reducer<AppState, AppAction> = Compose {
        Part(\.betting, .betting, BettingReducer())
        Part(\.animal, .animal, AnimalReducer())
        Part(\.login, .login, LoginReducer())
        Part(\.planner, .planner, PlannerReducer())
    }

    package init() {}

    package func decide(_ action: AppAction, in state: AppState) -> Decision { all.decide(action, in: state) }
    package func reduce(_ state: inout AppState, _ action: AppAction) { all.reduce(&state, action) }
}
