/// Runs a reducer on one slice of the state, for the actions nested in one case.
///
/// The slice is changed where it stands. Inlinable, as all that composes reducers: unspecialized, a composition costs
/// more than what it composes.
public struct Slice<State: Sendable, Action: Sendable, Part: Reducer>: Reducer {
    @usableFromInline let state: any WritableKeyPath<State, Part.State> & Sendable
    @usableFromInline let action: CasePath<Action, Part.Action>
    @usableFromInline let part: Part

    /// - Parameters:
    ///   - state: where the slice stands in the whole state.
    ///   - action: the case that holds the slice's actions.
    ///   - part: the slice's reducer.
    @inlinable @inline(__always)
    public init(
        _ state: any WritableKeyPath<State, Part.State> & Sendable,
        _ action: CasePath<Action, Part.Action>,
        _ part: Part
    ) {
        self.state = state
        self.action = action
        self.part = part
    }

    @inlinable @inline(__always)
    public func decide(_ action: Action, in state: State) -> Decision {
        guard let nested = self.action.extract(action) else { return .ignore }
        return part.decide(nested, in: state[keyPath: self.state])
    }

    @inlinable @inline(__always)
    public func reduce(_ state: inout State, _ action: Action) {
        guard let nested = self.action.extract(action) else { return }
        part.reduce(&state[keyPath: self.state], nested)
    }

    @inlinable @inline(__always)
    public func apply(_ action: Action, to state: inout State) -> Decision {
        guard let nested = self.action.extract(action) else { return .ignore }
        return part.apply(nested, to: &state[keyPath: self.state])
    }
}
