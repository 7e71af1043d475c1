public import Stores

// These cannot be called. They match frequent mistakes, so that the compiler says what is wrong, and not which requirement of which
// other initializer is not met.

extension Action {
    /// An action has up to four fields.
    @available(
        *, unavailable, message: "an action has up to four fields; put more values into one .value of a Codable type"
    )
    public init<A: ActionField, B: ActionField, C: ActionField, D: ActionField, E: ActionField>(
        _ name: String, _ summary: String, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E,
        audience: ActionAudience = .client, rules: Rule<State, Values>...,
        change: @escaping @Sendable (inout State, A.Value, B.Value, C.Value, D.Value, E.Value) -> Void
    ) where Values == (A.Slot, B.Slot, C.Slot, D.Slot, E.Slot) { fatalError("unavailable") }
}

extension Rule {
    /// A rule has the values of the action too.
    @available(*, unavailable, message: "the closure gets the state and a value for each field: { state, value in … }")
    @_disfavoredOverload
    public static func reject(_ reason: Rejection, if condition: @escaping @Sendable (State) -> Bool) -> Rule {
        fatalError("unavailable")
    }

    /// A rule has the values of the action too.
    @available(*, unavailable, message: "the closure gets the state and a value for each field: { state, value in … }")
    @_disfavoredOverload
    public static func ignore(if condition: @escaping @Sendable (State) -> Bool) -> Rule { fatalError("unavailable") }
}

// Rules with a wrong number of values. None of them takes as many values as its action has: otherwise the compiler could blame the
// number for a mistake inside of a closure.
extension Rule {
    /// A rule of an action without fields gets the state.
    @available(*, unavailable, message: "the action has no fields, so the closure gets only the state: { state in … }")
    @_disfavoredOverload
    public static func reject(
        _ reason: Rejection, if condition: @escaping @Sendable (State, Any) -> Bool
    ) -> Rule where Values == Void { fatalError("unavailable") }

    /// A rule of an action with one field gets one value.
    @available(*, unavailable, message: "the closure gets the state and the value of the field: { state, value in … }")
    @_disfavoredOverload
    public static func reject(
        _ reason: Rejection, if condition: @escaping @Sendable (State, Any, Any) -> Bool
    ) -> Rule where Values: Codable { fatalError("unavailable") }

    /// A rule of an action with two fields gets two values.
    @available(*, unavailable, message: "the closure gets the state and a value for each field: { state, a, b in … }")
    @_disfavoredOverload
    public static func reject<A, B>(
        _ reason: Rejection, if condition: @escaping @Sendable (State, A) -> Bool
    ) -> Rule where Values == (A, B) { fatalError("unavailable") }

    /// A rule of an action with two fields gets two values.
    @available(*, unavailable, message: "the closure gets the state and a value for each field: { state, a, b in … }")
    @_disfavoredOverload
    public static func reject<A, B>(
        _ reason: Rejection, if condition: @escaping @Sendable (State, A, B, Any) -> Bool
    ) -> Rule where Values == (A, B) { fatalError("unavailable") }

    /// A rule of an action with three fields gets three values.
    @available(
        *, unavailable, message: "the closure gets the state and a value for each field: { state, a, b, c in … }"
    )
    @_disfavoredOverload
    public static func reject<A, B, C>(
        _ reason: Rejection, if condition: @escaping @Sendable (State, A) -> Bool
    ) -> Rule where Values == (A, B, C) { fatalError("unavailable") }

    /// A rule of an action with three fields gets three values.
    @available(
        *, unavailable, message: "the closure gets the state and a value for each field: { state, a, b, c in … }"
    )
    @_disfavoredOverload
    public static func reject<A, B, C>(
        _ reason: Rejection, if condition: @escaping @Sendable (State, A, B) -> Bool
    ) -> Rule where Values == (A, B, C) { fatalError("unavailable") }

    /// A rule of an action without fields gets the state.
    @available(*, unavailable, message: "the action has no fields, so the closure gets only the state: { state in … }")
    @_disfavoredOverload
    public static func ignore(
        if condition: @escaping @Sendable (State, Any) -> Bool
    ) -> Rule where Values == Void { fatalError("unavailable") }

    /// A rule of an action with one field gets one value.
    @available(*, unavailable, message: "the closure gets the state and the value of the field: { state, value in … }")
    @_disfavoredOverload
    public static func ignore(
        if condition: @escaping @Sendable (State, Any, Any) -> Bool
    ) -> Rule where Values: Codable { fatalError("unavailable") }

    /// A rule of an action with two fields gets two values.
    @available(*, unavailable, message: "the closure gets the state and a value for each field: { state, a, b in … }")
    @_disfavoredOverload
    public static func ignore<A, B>(
        if condition: @escaping @Sendable (State, A) -> Bool
    ) -> Rule where Values == (A, B) { fatalError("unavailable") }

    /// A rule of an action with two fields gets two values.
    @available(*, unavailable, message: "the closure gets the state and a value for each field: { state, a, b in … }")
    @_disfavoredOverload
    public static func ignore<A, B>(
        if condition: @escaping @Sendable (State, A, B, Any) -> Bool
    ) -> Rule where Values == (A, B) { fatalError("unavailable") }

    /// A rule of an action with three fields gets three values.
    @available(
        *, unavailable, message: "the closure gets the state and a value for each field: { state, a, b, c in … }"
    )
    @_disfavoredOverload
    public static func ignore<A, B, C>(
        if condition: @escaping @Sendable (State, A) -> Bool
    ) -> Rule where Values == (A, B, C) { fatalError("unavailable") }

    /// A rule of an action with three fields gets three values.
    @available(
        *, unavailable, message: "the closure gets the state and a value for each field: { state, a, b, c in … }"
    )
    @_disfavoredOverload
    public static func ignore<A, B, C>(
        if condition: @escaping @Sendable (State, A, B) -> Bool
    ) -> Rule where Values == (A, B, C) { fatalError("unavailable") }
}

// Changes that get none of the values of an action. With some of them, the compiler counts the arguments by itself.
extension Follow {
    /// A change after an action with a field gets its value.
    @available(*, unavailable, message: "the closure gets the state and the value of the field: { state, value in … }")
    @_disfavoredOverload
    public init<Slice, Values: Codable>(
        _ part: Part<State, Slice>, _ action: Action<Slice, Values>, change: @escaping @Sendable (inout State) -> Void
    ) { fatalError("unavailable") }

    /// A change after an action with several fields gets a value for each.
    @available(*, unavailable, message: "the closure gets the state and a value for each field: { state, a, b in … }")
    @_disfavoredOverload
    public init<Slice, A, B, each Rest>(
        _ part: Part<State, Slice>, _ action: Action<Slice, (A, B, repeat each Rest)>,
        change: @escaping @Sendable (inout State) -> Void
    ) { fatalError("unavailable") }

    /// A change after an action with a field gets its value.
    @available(*, unavailable, message: "the closure gets the state and the value of the field: { state, value in … }")
    @_disfavoredOverload
    public init<Values: Codable>(
        _ action: Action<State, Values>, change: @escaping @Sendable (inout State) -> Void
    ) { fatalError("unavailable") }

    /// A change after an action with several fields gets a value for each.
    @available(*, unavailable, message: "the closure gets the state and a value for each field: { state, a, b in … }")
    @_disfavoredOverload
    public init<A, B, each Rest>(
        _ action: Action<State, (A, B, repeat each Rest)>, change: @escaping @Sendable (inout State) -> Void
    ) { fatalError("unavailable") }
}

extension Member {
    /// Only a `Codable` value can be a member.
    @available(*, unavailable, message: "the value of a member must be Codable")
    @_disfavoredOverload
    public init(
        _ name: StaticString, _ path: any WritableKeyPath<State, Value> & Sendable,
        _ visibility: StoreDefinition<State>.Visibility = .shown
    ) { fatalError("unavailable") }
}

extension Selector {
    /// Only a `Codable` value can be selected.
    @available(*, unavailable, message: "the value of a selector must be Codable")
    @_disfavoredOverload
    public init<Value: Sendable>(
        _ name: String, _ summary: String, _ select: @escaping @Sendable (State) -> Value
    ) { fatalError("unavailable") }
}
