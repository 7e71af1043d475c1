import Stores

/// A reducer that tells which actions it did not accept: of those a store notifies nobody.
struct AttendedReducer<State: Sendable, Action: Sendable>: Reducer {
    private let reducer: any Reducer<State, Action>
    private let note: @Sendable (Action, Outcome) -> Void

    init(_ reducer: any Reducer<State, Action>, note: @escaping @Sendable (Action, Outcome) -> Void) {
        self.reducer = reducer
        self.note = note
    }

    func decide(_ action: Action, in state: State) -> Decision { reducer.decide(action, in: state) }

    func reduce(_ state: inout State, _ action: Action) { reducer.reduce(&state, action) }

    func apply(_ action: Action, to state: inout State) -> Decision {
        let decision = reducer.apply(action, to: &state)
        switch decision {
        case .accept: break
        case .ignore: note(action, .ignored)
        case .reject(let rejection): note(action, .rejected(rejection, index: 0))
        }
        return decision
    }
}
