package import Stores

/// Every slice's reducer, composed.
package struct AppReducer: ComposedReducer {
    package init() {}

    package let body: some Reducer<AppState, AppAction> = Compose<AppState, AppAction, _> {
        Slice(\.betting, .betting, BettingReducer())
        Slice(\.animal, .animal, AnimalReducer())
        Slice(\.login, .login, LoginReducer())
        Slice(\.planner, .planner, PlannerReducer())
    }
}
