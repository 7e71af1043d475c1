/// Runs a reducer on the payload of one case of an enumeration. In any other case the action is ignored.
///
///     Scope(\.checkout, .checkout, Compose {
///         IfCase(.filling, .filling, FillingReducer())
///         IfCase(.paying, .paying, PayingReducer())
///     })
///
/// A transition from one case to another belongs in a reducer beside it, on the whole state. The payload is changed in place:
/// its collections are not copied.
public struct IfCase<State: Sendable, Action: Sendable, Part: Reducer>: Reducer {
    @usableFromInline let state: CasePath<State, Part.State>
    @usableFromInline let action: CasePath<Action, Part.Action>
    @usableFromInline let part: AnyReducer<Part.State, Part.Action>

    /// Runs `part` on the payload of one case.
    ///
    /// - Parameters:
    ///   - state: the case whose payload `part` reduces.
    ///   - action: the case of the actions of `part`.
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
        guard let nested = self.action.value(in: action), let value = self.state.value(in: state) else {
            return .ignore
        }
        return part.decide(nested, in: value)
    }

    @inlinable
    public func reduce(_ state: inout State, _ action: Action) {
        guard let nested = self.action.value(in: action) else { return }
        _ = self.state.change(&state) { value in
            part.reduce(&value, nested)
            return .accept
        }
    }

    @inlinable
    public func apply(_ action: Action, to state: inout State) -> Decision {
        guard let nested = self.action.value(in: action) else { return .ignore }
        return self.state.change(&state) { part.apply(nested, to: &$0) }
    }

    @inlinable public var prepared: AnyReducer<State, Action> {
        let number = PathStep.nextCaseNumber()
        return AnyReducer(
            self, middleware: part.middleware.map { $0.ifCase(state, action, number: number) },
            onlyFollows: part.onlyFollows)
    }
}

extension CasePath {
    /// Changes the payload in place; `.ignore` if `root` is another case.
    @inlinable
    func change(_ root: inout Root, _ body: (inout Value) -> Decision) -> Decision {
        guard var value = value(in: root) else { return .ignore }
        // The value must be the only reference to its collections, or the first change would copy them. So the root is
        // consumed first. The compiler checks that it is assigned again, and a store stops a reducer that reads it meanwhile.
        _ = consume root
        let decision = body(&value)
        root = embed(value)
        return decision
    }
}

/// A path to the payload of one case of an enumeration, as a key path is one to a property of a structure.
///
///     extension CasePath<ShopAction, CartAction> {
///         static var cart: Self {
///             CasePath(embed: { .cart($0) }, extract: { if case .cart(let action) = $0 { $1(action) } })
///         }
///     }
///
/// It leads from an action to a nested action, or into one case of a state: see ``IfCase``.
public struct CasePath<Root, Value>: Sendable {
    /// Wraps a value in its case.
    public let embed: @Sendable (Value) -> Root
    /// Calls a function with the value if the root is this case.
    public let extract: @Sendable (_ root: Root, _ body: (Value) -> Void) -> Void
    /// Whether the root is this case.
    public let matches: @Sendable (Root) -> Bool

    /// A path to one case.
    ///
    /// - Parameters:
    ///   - embed: wraps a value in the case.
    ///   - extract: calls its second argument with the value if the root is this case. The value is passed and not returned, so a
    ///     large one is not copied.
    @inlinable @inline(__always)
    public init(
        embed: @escaping @Sendable (Value) -> Root,
        extract: @escaping @Sendable (_ root: Root, _ body: (Value) -> Void) -> Void
    ) {
        self.embed = embed
        self.extract = extract
        matches = { root in
            var found = false
            extract(root) { _ in found = true }
            return found
        }
    }

    /// The value if `root` is this case.
    @inlinable
    public func value(in root: Root) -> Value? {
        var value: Value?
        extract(root) { value = $0 }
        return value
    }
}

extension CasePath where Root == Value {
    /// The path from a value to itself.
    @inlinable @inline(__always)
    public static var whole: CasePath { CasePath(embed: { $0 }, extract: { $1($0) }) }
}

/// Runs a reducer on an optional state. While the state is nil, the action is ignored.
///
///     Scope(\.draft, .draft, IfPresent(DraftReducer()))
public struct IfPresent<Part: Reducer>: Reducer {
    @usableFromInline let part: AnyReducer<Part.State, Part.Action>

    /// Runs `part` on the wrapped state.
    ///
    /// - Parameter part: the reducer of the wrapped state.
    @inlinable
    public init(_ part: Part) { self.part = part.prepared }

    @inlinable
    public func decide(_ action: Part.Action, in state: Part.State?) -> Decision {
        guard let present = state else { return .ignore }
        return part.decide(action, in: present)
    }

    @inlinable
    public func reduce(_ state: inout Part.State?, _ action: Part.Action) {
        // Take the value out, so that it is the only reference to its collections: a second one would make them copy.
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

    @inlinable public var prepared: AnyReducer<Part.State?, Part.Action> {
        AnyReducer(self, middleware: part.middleware.map { $0.ifPresent() }, onlyFollows: part.onlyFollows)
    }
}
