package import Stores

/// Every slice's reducer, composed.
package struct AppReducer: ComposedReducer {
    package init() {}

    package var body: some Reducer<AppState, AppAction> {
        Slice(\.betting, .betting, BettingReducer())
        Slice(\.animal, .animal, AnimalReducer())
        Slice(\.login, .login, LoginReducer())
        Slice(\.planner, .planner, PlannerReducer())
    }
}
