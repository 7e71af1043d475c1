/// Runs a reducer on one slice of the state, for the actions nested in one case.
///
/// The slice is changed where it stands.
public struct Scope<State: Sendable, Action: Sendable>: ComposedReducer {
    public let body: AnyReducer<State, Action>

    /// Runs `part` on one slice of the state.
    ///
    /// - Parameters:
    ///   - state: where the slice stands in the whole state.
    ///   - action: the case that holds the slice's actions.
    ///   - part: the slice's reducer.
    @inlinable @inline(__always)
    public init<Part: Reducer>(
        _ state: any WritableKeyPath<State, Part.State> & Sendable, _ action: CasePath<Action, Part.Action>,
        _ part: Part
    ) {
        let place = StateAccessor(state)
        let part = part.prepared
        let lend = action.lend
        body = AnyReducer(
            ask: action.matches,
            read: { action, state in
                var said = Decision.ignore
                lend(action) { nested in said = place.read(state) { part.decide(nested, in: $0) } }
                return said
            },
            change: { action, state in
                lend(action) { nested in place.change(&state) { part.reduce(&$0, nested) } }
            },
            attempt: { action, state in
                var said = Decision.ignore
                lend(action) { nested in said = place.change(&state) { part.apply(nested, to: &$0) } }
                return said
            })
    }
}

/// Where a slice stands in a state.
@usableFromInline
struct StateAccessor<State: Sendable, Part: Sendable>: Sendable {
    /// Of a stored property, which is found at once.
    @usableFromInline let offset: Int
    /// The way to what is no stored property, which is walked for each action.
    @usableFromInline let path: (any WritableKeyPath<State, Part> & Sendable)?

    @inlinable
    init(_ path: any WritableKeyPath<State, Part> & Sendable) {
        let offset = MemoryLayout<State>.offset(of: path)
        self.offset = offset ?? 0
        self.path = offset == nil ? path : nil
    }

    @inlinable @inline(__always)
    func read<Result>(_ state: State, _ body: (Part) -> Result) -> Result {
        if let path { return body(state[keyPath: path]) }
        return withUnsafePointer(to: state) { state in
            body((UnsafeRawPointer(state) + offset).assumingMemoryBound(to: Part.self).pointee)
        }
    }

    @inlinable @inline(__always)
    func change<Result>(_ state: inout State, _ body: (inout Part) -> Result) -> Result {
        if let path { return body(&state[keyPath: path]) }
        return withUnsafeMutablePointer(to: &state) { state in
            body(&(UnsafeMutableRawPointer(state) + offset).assumingMemoryBound(to: Part.self).pointee)
        }
    }
}

/// Follows actions that others decide on: it neither accepts nor rejects, and runs for each that another part accepts.
///
/// It sees what the parts before it left, so that one that must see the state as it was stands first.
public struct OnAction<State: Sendable, Action: Sendable>: Reducer {
    @usableFromInline let follow: @Sendable (inout State, Action) -> Void

    /// Runs `follow` for what others accept.
    ///
    /// - Parameter follow: changes the state for an accepted action; it does nothing for those that it does not watch.
    @inlinable @inline(__always)
    public init(_ follow: @escaping @Sendable (inout State, Action) -> Void) { self.follow = follow }

    /// Ignores: what it watches is for others to accept.
    @inlinable @inline(__always)
    public func decide(_ action: Action, in state: State) -> Decision { .ignore }

    @inlinable @inline(__always)
    public func reduce(_ state: inout State, _ action: Action) { follow(&state, action) }
}
