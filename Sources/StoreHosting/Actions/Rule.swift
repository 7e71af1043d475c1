public import Stores

/// When an ``Action`` is rejected or ignored. The rules of an action are tried in order, and the first that applies decides;
/// without one the action is accepted.
public struct Rule<State: Sendable, Values: Sendable>: Sendable {
    @usableFromInline let decision: Decision
    @usableFromInline let applies: @Sendable (State, Values) -> Bool

    @inlinable
    init(_ decision: Decision, _ applies: @escaping @Sendable (State, Values) -> Bool) {
        self.decision = decision
        self.applies = applies
    }

    /// The reason for which it rejects; nil if it ignores.
    @inlinable var rejection: Rejection? { if case .reject(let rejection) = decision { rejection } else { nil } }

    /// Rejects the action if the condition holds.
    ///
    /// - Parameters:
    ///   - reason: a stable code, such as `sold-out`.
    ///   - condition: it only reads the state, and the values of the action.
    @inlinable
    public static func reject<each Value>(
        _ reason: Rejection, if condition: @escaping @Sendable (State, repeat each Value) -> Bool
    ) -> Rule where Values == (repeat each Value) {
        Rule(.reject(reason)) { state, values in condition(state, repeat each values) }
    }

    /// Ignores the action, which then makes no revision, if the condition holds.
    @inlinable
    public static func ignore<each Value>(
        if condition: @escaping @Sendable (State, repeat each Value) -> Bool
    ) -> Rule where Values == (repeat each Value) {
        Rule(.ignore) { state, values in condition(state, repeat each values) }
    }
}
