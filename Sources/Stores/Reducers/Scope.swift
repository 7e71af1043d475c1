/// Runs a reducer on one slice of the state, for the actions nested in one case.
///
/// The slice is changed in place.
public struct Scope<State: Sendable, Action: Sendable>: ComposedReducer {
    public let body: AnyReducer<State, Action>

    /// Runs `part` on one slice of the state.
    ///
    /// - Parameters:
    ///   - state: the slice in the whole state.
    ///   - action: the case of the actions of the slice.
    ///   - part: the reducer of the slice.
    @inlinable @inline(__always)
    public init<Part: Reducer>(
        _ state: any WritableKeyPath<State, Part.State> & Sendable, _ action: CasePath<Action, Part.Action>,
        _ part: Part
    ) {
        let slice = StateAccessor(state)
        let part = part.prepared
        let property: any KeyPath<State, Part.State> & Sendable = state
        let extract = action.extract
        body = AnyReducer(
            concerns: action.matches,
            decide: { action, state, abstentions in
                var decision = Decision.ignore
                extract(action) { nested in
                    decision = slice.read(state) { part.decide(nested, in: $0, &abstentions) }
                }
                return decision
            },
            reduce: { action, state, abstentions in
                extract(action) { nested in slice.change(&state) { part.reduce(&$0, nested, abstentions) } }
            },
            apply: { action, state, abstentions in
                var decision = Decision.ignore
                extract(action) { nested in
                    decision = slice.change(&state) { part.apply(nested, to: &$0, &abstentions) }
                }
                return decision
            }, middleware: part.middleware.map { $0.scoped(property, action) }, onlyFollows: part.onlyFollows)
    }
}

extension Scope {
    /// Runs `part` on one slice of the state, for the actions nested in the case that `action` makes.
    ///
    ///     Scope(\.calendar, AppAction.calendar, CalendarReducer())
    ///
    /// The case is found by reflection: see ``CasePath/init(_:)``.
    ///
    /// - Parameters:
    ///   - state: the slice in the whole state.
    ///   - action: the case of the actions of the slice.
    ///   - part: the reducer of the slice.
    public init<Part: Reducer>(
        _ state: any WritableKeyPath<State, Part.State> & Sendable,
        _ action: @escaping @Sendable (Part.Action) -> Action,
        _ part: Part
    ) {
        self.init(state, CasePath(action), part)
    }
}

/// Access to a slice of a state.
@usableFromInline
package struct StateAccessor<State: Sendable, Part: Sendable>: Sendable {
    /// The offset of a stored property: an access needs no walk along the key path.
    @usableFromInline let offset: Int
    /// The key path of a slice that is not a stored property.
    @usableFromInline let path: (any WritableKeyPath<State, Part> & Sendable)?

    @inlinable
    package init(_ path: any WritableKeyPath<State, Part> & Sendable) {
        let offset = MemoryLayout<State>.offset(of: path)
        self.offset = offset ?? 0
        self.path = offset == nil ? path : nil
    }

    /// The bytes of the slice in the state; nil if it is not a stored property.
    @inlinable
    package var extent: Range<Int>? { path == nil ? offset..<offset + MemoryLayout<Part>.size : nil }

    @inlinable @inline(__always)
    package func read<Result>(_ state: State, _ body: (Part) -> Result) -> Result {
        if let path { return body(state[keyPath: path]) }
        return withUnsafePointer(to: state) { state in
            body((UnsafeRawPointer(state) + offset).assumingMemoryBound(to: Part.self).pointee)
        }
    }

    /// Reads the slice where it is. Reading a value through a pointer would copy it.
    @inlinable @inline(__always)
    package func read<Result>(at state: UnsafePointer<State>, _ body: (UnsafePointer<Part>) -> Result) -> Result {
        if let path { return withUnsafePointer(to: state.pointee[keyPath: path], body) }
        return body((UnsafeRawPointer(state) + offset).assumingMemoryBound(to: Part.self))
    }

    @inlinable @inline(__always)
    package func change<Result>(_ state: inout State, _ body: (inout Part) -> Result) -> Result {
        if let path { return body(&state[keyPath: path]) }
        return withUnsafeMutablePointer(to: &state) { state in
            body(&(UnsafeMutableRawPointer(state) + offset).assumingMemoryBound(to: Part.self).pointee)
        }
    }
}

/// Follows actions that other parts accept. It neither accepts nor rejects an action by itself.
///
/// It sees the state as the parts before it left it. Put it first if it needs the state before the action.
public struct OnAction<State: Sendable, Action: Sendable>: Reducer {
    @usableFromInline let follow: @Sendable (inout State, Action) -> Void

    /// Runs `follow` for each action that another part accepts.
    ///
    /// - Parameter follow: changes the state for an accepted action.
    @inlinable @inline(__always)
    public init(_ follow: @escaping @Sendable (inout State, Action) -> Void) { self.follow = follow }

    /// Follows every action: other parts accept it.
    @inlinable @inline(__always)
    public func decide(_ action: Action, in state: State) -> Decision { .follow }

    @inlinable @inline(__always)
    public func reduce(_ state: inout State, _ action: Action) { follow(&state, action) }

    @inlinable public var prepared: AnyReducer<State, Action> {
        AnyReducer(self, middleware: [], onlyFollows: true)
    }
}
