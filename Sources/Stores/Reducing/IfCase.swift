/// Runs a reducer on one case of a state that is one of several; in any other case the action is ignored.
///
///     Slice(\.checkout, .checkout, Compose {
///         IfCase(.filling, .filling, FillingReducer())
///         IfCase(.paying, .paying, PayingReducer())
///     })
///
/// To go from one case to another is the work of a reducer beside it, on the whole state.
public struct IfCase<State: Sendable, Action: Sendable, Part: Reducer>: Reducer {
    @usableFromInline let state: CasePath<State, Part.State>
    @usableFromInline let action: CasePath<Action, Part.Action>
    @usableFromInline let part: PreparedReducer<Part.State, Part.Action>

    /// Runs `part` on one case of the state.
    ///
    /// - Parameters:
    ///   - state: the case of the state that `part` reduces.
    ///   - action: the case that holds its actions.
    ///   - part: the case's reducer.
    @inlinable
    public init(
        _ state: CasePath<State, Part.State>, _ action: CasePath<Action, Part.Action>, _ part: Part
    ) {
        self.state = state
        self.action = action
        self.part = part.prepared
    }

    @inlinable
    public func concerns(_ action: Action) -> Bool { self.action.matches(action) }

    @inlinable
    public func decide(_ action: Action, in state: State) -> Decision {
        guard let nested = self.action.extract(action), let value = self.state.extract(state) else { return .ignore }
        return part.decide(nested, in: value)
    }

    @inlinable
    public func reduce(_ state: inout State, _ action: Action) {
        guard let nested = self.action.extract(action) else { return }
        _ = self.state.change(&state) { value in
            part.reduce(&value, nested)
            return .accept
        }
    }

    @inlinable
    public func apply(_ action: Action, to state: inout State) -> Decision {
        guard let nested = self.action.extract(action) else { return .ignore }
        return self.state.change(&state) { part.apply(nested, to: &$0) }
    }
}

extension CasePath {
    /// Changes the value in its case, in place; `.ignore` where `root` is another case.
    @inlinable
    func change(_ root: inout Root, _ body: (inout Value) -> Decision) -> Decision {
        guard var value = extract(root) else { return .ignore }
        return withUnsafeMutablePointer(to: &root) { place in
            // What the case holds is let go of while `value` changes, which would copy its collections otherwise.
            // Nothing can fail or look in before the place is filled again.
            place.deinitialize(count: 1)
            let decision = body(&value)
            place.initialize(to: embed(value))
            return decision
        }
    }
}
