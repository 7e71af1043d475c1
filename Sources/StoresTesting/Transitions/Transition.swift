public import Stores

/// What an action makes of a state.
public enum Transition<State: Sendable & Equatable>: Sendable, Equatable {
    /// It is committed, and leads to that state.
    case becomes(State)
    /// There is nothing to do.
    case ignored
    /// It is refused for that reason.
    case rejected(Rejection)
}

extension Transition {
    /// What `reducer` makes of it.
    ///
    /// - Throws: where a reducer breaks its own rules: `apply` and `decide` disagree, or an action that was not
    ///   accepted leaves a trace.
    static func of<Action>(
        _ action: Action, in state: State, by reducer: some Reducer<State, Action>
    ) throws(BrokenReducer) -> Transition {
        var next = state
        let decision = reducer.apply(action, to: &next)
        guard reducer.decide(action, in: state) == decision else {
            throw BrokenReducer("apply: \(decision), decide: \(reducer.decide(action, in: state))")
        }
        if decision == .accept { return .becomes(next) }
        guard next == state else {
            throw BrokenReducer("\(decision), but leaves a trace: " + difference(between: state, and: next))
        }
        if case .reject(let rejection) = decision { return .rejected(rejection) }
        return .ignored
    }

    /// What `reducer` makes of it.
    static func of<Action>(
        _ action: Action, in state: State, by reducer: some AsyncReducer<State, Action>
    ) async -> Transition {
        do throws(Rejection) {
            return try await reducer.reduce(state, action).map { .becomes($0) } ?? .ignored
        } catch {
            return .rejected(error)
        }
    }
}

/// How a reducer contradicts itself.
struct BrokenReducer: Error {
    let text: String

    init(_ text: String) { self.text = text }
}
