/// Runs a reducer on one case of a state that is one of several; in any other case the action is ignored.
///
///     Scope(\.checkout, .checkout, Compose {
///         IfCase(.filling, .filling, FillingReducer())
///         IfCase(.paying, .paying, PayingReducer())
///     })
///
/// To go from one case to another is the work of a reducer beside it, on the whole state.
public struct IfCase<State: Sendable, Action: Sendable, Part: Reducer>: Reducer {
    @usableFromInline let state: CasePath<State, Part.State>
    @usableFromInline let action: CasePath<Action, Part.Action>
    @usableFromInline let part: AnyReducer<Part.State, Part.Action>

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
        // The value must be the only reference to its collections, or the first change would copy them. So the root is
        // consumed first. The compiler checks that it is assigned again, and a store stops a reducer that reads it meanwhile.
        _ = consume root
        let decision = body(&value)
        root = embed(value)
        return decision
    }
}

/// The way from an action to one nested in it, and back: what a key path is to a structure's property.
///
///     extension CasePath<ShopAction, CartAction> {
///         static var cart: Self {
///             CasePath(embed: { .cart($0) }, lend: { if case .cart(let action) = $0 { $1(action) } })
///         }
///     }
///
/// It leads into one of several cases of a state as well: see ``IfCase``.
public struct CasePath<Root, Value>: Sendable {
    /// Wraps a value in its case.
    public let embed: @Sendable (Value) -> Root
    /// Calls a function with the value, where the root is that case.
    public let lend: @Sendable (_ root: Root, _ body: (Value) -> Void) -> Void
    /// Whether the root is that case.
    public let matches: @Sendable (Root) -> Bool

    /// The way into one case, and back.
    ///
    /// - Parameters:
    ///   - embed: the case itself, which is a function.
    ///   - lend: undoes `embed`: calls the function that it is given with the value, where there is one. The value is lent and
    ///     not returned, so that a large one need not be copied.
    @inlinable @inline(__always)
    public init(
        embed: @escaping @Sendable (Value) -> Root,
        lend: @escaping @Sendable (_ root: Root, _ body: (Value) -> Void) -> Void
    ) {
        self.embed = embed
        self.lend = lend
        matches = { root in
            var found = false
            lend(root) { _ in found = true }
            return found
        }
    }

    /// The value, where `root` is that case.
    @inlinable
    public func extract(_ root: Root) -> Value? {
        var value: Value?
        lend(root) { value = $0 }
        return value
    }
}

extension CasePath where Root == Value {
    /// The way from an action to itself.
    @inlinable @inline(__always)
    public static var whole: CasePath { CasePath(embed: { $0 }, lend: { $1($0) }) }
}

/// Runs a reducer on a state that may be absent; nil, and the action is ignored.
///
///     Scope(\.draft, .draft, IfPresent(DraftReducer()))
public struct IfPresent<Part: Reducer>: Reducer {
    @usableFromInline let part: AnyReducer<Part.State, Part.Action>

    /// Runs `part` on what is there.
    ///
    /// - Parameter part: the reducer of what is there.
    @inlinable
    public init(_ part: Part) { self.part = part.prepared }

    @inlinable
    public func decide(_ action: Part.Action, in state: Part.State?) -> Decision {
        guard let present = state else { return .ignore }
        return part.decide(action, in: present)
    }

    @inlinable
    public func reduce(_ state: inout Part.State?, _ action: Part.Action) {
        // Taken out, changed and put back: a copy beside it would make every collection in it copy itself.
        guard var present = state.take() else { return }
        part.reduce(&present, action)
        state = present
    }

    @inlinable
    public func apply(_ action: Part.Action, to state: inout Part.State?) -> Decision {
        guard var present = state.take() else { return .ignore }
        let decision = part.apply(action, to: &present)
        state = present
        return decision
    }
}
