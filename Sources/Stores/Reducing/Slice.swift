/// Runs a reducer on one slice of the state, for the actions nested in one case.
///
/// The slice is changed where it stands. Inlinable, as all that composes reducers: unspecialized, a composition costs more
/// than what it composes; and a class, since a composition that is made once and kept must not be copied to be called.
public final class Slice<State: Sendable, Action: Sendable, Part: Reducer>: Reducer {
    /// Where a stored property stands in the state, which is found at once.
    @usableFromInline let offset: Int
    /// The way to what is no stored property, which is walked for each action.
    @usableFromInline let path: (any WritableKeyPath<State, Part.State> & Sendable)?
    @usableFromInline let action: CasePath<Action, Part.Action>
    @usableFromInline let part: Part

    /// Runs `part` on one slice of the state.
    ///
    /// - Parameters:
    ///   - state: where the slice stands in the whole state.
    ///   - action: the case that holds the slice's actions.
    ///   - part: the slice's reducer.
    @inlinable
    public init(
        _ state: any WritableKeyPath<State, Part.State> & Sendable, _ action: CasePath<Action, Part.Action>,
        _ part: Part
    ) {
        let offset = MemoryLayout<State>.offset(of: state)
        self.offset = offset ?? 0
        path = offset == nil ? state : nil
        self.action = action
        self.part = part
    }

    @inlinable @inline(__always)
    public func concerns(_ action: Action) -> Bool { self.action.extract(action) != nil }

    @inlinable @inline(__always)
    public func decide(_ action: Action, in state: State) -> Decision {
        guard let nested = self.action.extract(action) else { return .ignore }
        if let path { return part.decide(nested, in: state[keyPath: path]) }
        return withUnsafePointer(to: state) { state in
            part.decide(nested, in: Self.slice(of: UnsafeMutablePointer(mutating: state), offset).pointee)
        }
    }

    @inlinable @inline(__always)
    public func reduce(_ state: inout State, _ action: Action) {
        guard let nested = self.action.extract(action) else { return }
        if let path { return part.reduce(&state[keyPath: path], nested) }
        withUnsafeMutablePointer(to: &state) { part.reduce(&Self.slice(of: $0, offset).pointee, nested) }
    }

    @inlinable @inline(__always)
    public func apply(_ action: Action, to state: inout State) -> Decision {
        guard let nested = self.action.extract(action) else { return .ignore }
        if let path { return part.apply(nested, to: &state[keyPath: path]) }
        return withUnsafeMutablePointer(to: &state) { part.apply(nested, to: &Self.slice(of: $0, offset).pointee) }
    }

    @inlinable @inline(__always)
    static func slice(of state: UnsafeMutablePointer<State>, _ offset: Int) -> UnsafeMutablePointer<Part.State> {
        (UnsafeMutableRawPointer(state) + offset).assumingMemoryBound(to: Part.State.self)
    }
}
