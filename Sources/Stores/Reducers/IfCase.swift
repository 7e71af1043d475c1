/// Runs a reducer on the payload of one case of an enumeration. In any other case the action is ignored.
///
///     Scope(\.checkout, .checkout, Compose {
///         IfCase(.filling, .filling, FillingReducer())
///         IfCase(.paying, .paying, PayingReducer())
///     })
///
/// A transition from one case to another belongs in a reducer beside it, on the whole state. The payload is changed in place:
/// its collections are not copied.
public struct IfCase<State: Sendable, Action: Sendable, Part: Reducer>: ComposedReducer {
    public let body: AnyReducer<State, Action>

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
        let (path, part, number) = (state, part.prepared, PathStep.nextCaseNumber())
        body = AnyReducer(
            concerns: action.matches,
            decide: { whole, state, abstentions in
                guard let nested = action.value(in: whole), let value = path.value(in: state) else { return .ignore }
                return part.decide(nested, in: value, &abstentions)
            },
            reduce: { whole, state, abstentions in
                guard let nested = action.value(in: whole) else { return }
                _ = path.change(&state) { value in
                    part.reduce(&value, nested, abstentions)
                    return .accept
                }
            },
            apply: { whole, state, abstentions in
                guard let nested = action.value(in: whole) else { return .ignore }
                return path.change(&state) { part.apply(nested, to: &$0, &abstentions) }
            }, middleware: part.middleware.map { $0.ifCase(path, action, number: number) },
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

extension CasePath where Root == Value {
    /// The path from a value to itself.
    @inlinable @inline(__always)
    package static var whole: CasePath { CasePath(embed: { $0 }, extract: { $1($0) }) }
}

/// Runs a reducer on an optional state. While the state is nil, the action is ignored.
///
///     Scope(\.draft, .draft, IfPresent(DraftReducer()))
public struct IfPresent<Part: Reducer>: ComposedReducer {
    public let body: AnyReducer<Part.State?, Part.Action>

    /// Runs `part` on the wrapped state.
    ///
    /// - Parameter part: the reducer of the wrapped state.
    @inlinable
    public init(_ part: Part) {
        let part = part.prepared
        body = AnyReducer(
            decide: { action, state, abstentions in
                guard let present = state else { return .ignore }
                return part.decide(action, in: present, &abstentions)
            },
            reduce: { action, state, abstentions in
                // Take the value out, so that it is the only reference to its collections: a second one would make them copy.
                guard var present = state.take() else { return }
                part.reduce(&present, action, abstentions)
                state = present
            },
            apply: { action, state, abstentions in
                guard var present = state.take() else { return .ignore }
                let decision = part.apply(action, to: &present, &abstentions)
                state = present
                return decision
            }, middleware: part.middleware.map { $0.ifPresent() }, onlyFollows: part.onlyFollows)
    }
}
