package import JSON
import Stores

/// One state composed of every slice.
package struct AppState: HostedState, Equatable {
    package var betting = BettingState()
    package var animal = AnimalState()
    package var login = LoginState()
    package var planner = PlannerState()

    package init() {}

    package func encode(into json: inout JSONWriter) {
        json.object { json in
            betting.encodeSlices(into: &json)
            json.slice(animal)
            json.slice(login)
            planner.encodeSlices(into: &json)
        }
    }
}
