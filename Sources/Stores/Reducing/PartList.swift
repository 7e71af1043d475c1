/// The parts of a composition, called in order.
@usableFromInline
struct PartList<State: Sendable, Action: Sendable>: Sendable {
    @usableFromInline let list: ConstantList<PreparedReducer<State, Action>>

    @inlinable
    init(_ parts: [PreparedReducer<State, Action>]) { list = ConstantList(parts) }

    @inlinable
    func concerns(_ action: Action) -> Bool {
        for part in list.elements where part._withUnsafeGuaranteedRef({ $0.concerns(action) }) { return true }
        return false
    }

    @inlinable
    func decide(_ action: Action, in state: State) -> Decision {
        var said = Decision.ignore
        for part in list.elements {
            let more = part._withUnsafeGuaranteedRef { part in
                part.concerns(action) ? part.decide(action, in: state) : .ignore
            }
            said = said.joined(with: more)
            if case .reject = said { break }
        }
        return said
    }

    @inlinable
    func reduce(_ state: inout State, _ action: Action) {
        for part in list.elements {
            part._withUnsafeGuaranteedRef { if $0.concerns(action) { $0.reduce(&state, action) } }
        }
    }

    @inlinable
    func apply(_ action: Action, to state: inout State) -> Decision {
        var only: Unmanaged<PreparedReducer<State, Action>>?
        for part in list.elements where part._withUnsafeGuaranteedRef({ $0.concerns(action) }) {
            guard only == nil else { return applyAll(action, to: &state) }
            only = part
        }
        // Most actions concern one part, which then finds both steps by itself.
        guard let only else { return .ignore }
        return only._withUnsafeGuaranteedRef { $0.apply(action, to: &state) }
    }

    @inlinable
    func applyAll(_ action: Action, to state: inout State) -> Decision {
        let decision = decide(action, in: state)
        if case .accept = decision { reduce(&state, action) }
        return decision
    }
}
