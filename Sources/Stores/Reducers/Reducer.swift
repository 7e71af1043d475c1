/// How state changes: says what it makes of an action, then changes the state in place.
///
/// The two steps are apart so that a rejection leaves no trace. `decide` only reads. `reduce` cannot fail, and runs only
/// once the whole of a composed reducer has accepted: every part of it, however deep, is asked before any part changes
/// anything, so that no part has to undo what it did when a later one rejects. A reducer is pure: the same state and
/// action give the same result. A reducer that calls the store that runs it stops the process.
public protocol Reducer<State, Action>: Sendable {
    /// What is reduced: a value.
    associatedtype State: Sendable
    /// What can happen to it: an enumeration, by custom.
    associatedtype Action: Sendable

    /// What this reducer says of `action` now, by reading only.
    ///
    /// Of composed reducers, one rejection rejects; else one acceptance accepts; else the action is ignored. A reducer
    /// that only watches another slice's actions returns `.ignore` here and does its part in `reduce`: see ``OnAction``.
    /// Every part is asked about the state as it was before the action.
    func decide(_ action: Action, in state: State) -> Decision

    /// Changes `state` for an action that was accepted, by this reducer or by one that it is composed with.
    ///
    /// Does nothing for an action that is none of its business. The parts of a composed reducer run in their order,
    /// each on what those before it left.
    func reduce(_ state: inout State, _ action: Action)

    /// Whether this reducer may have anything to say of `action` or to do for it; yes unless it is written otherwise.
    ///
    /// Asked first where reducers are composed, so that those that an action is none of the business of cost next to nothing.
    func concerns(_ action: Action) -> Bool

    /// Both steps: changes `state` only where the answer is `.accept`. A reducer that finds both in one go may do so.
    func apply(_ action: Action, to state: inout State) -> Decision

    /// The same reducer, made ready to be called often.
    var prepared: AnyReducer<State, Action> { get }
}

extension Reducer {
    /// Accepts: for reducers that refuse nothing.
    @inlinable @inline(__always)
    public func decide(_ action: Action, in state: State) -> Decision { .accept }

    /// Yes: for reducers that nobody composes.
    @inlinable @inline(__always)
    public func concerns(_ action: Action) -> Bool { true }

    /// Made anew with each call: whoever calls often keeps it.
    @inlinable
    public var prepared: AnyReducer<State, Action> { AnyReducer(self) }

    /// Asks, then reduces where the answer is `.accept`.
    @inlinable @inline(__always)
    public func apply(_ action: Action, to state: inout State) -> Decision {
        let decision = decide(action, in: state)
        if case .accept = decision { reduce(&state, action) }
        return decision
    }
}

/// What a reducer says of an action before anything changes.
public enum Decision: Sendable, Hashable {
    /// The action applies; `reduce` follows and a revision is made.
    case accept
    /// There is nothing to do for this action now; no revision is made.
    case ignore
    /// The action must not happen now; nothing changes and the sender learns the reason.
    case reject(Rejection)

    /// How two parts of a composed reducer are heard together; the second is not asked once the first has rejected.
    @inlinable @inline(__always)
    public func joined(with other: @autoclosure () -> Decision) -> Decision {
        switch self {
        case .reject: return self
        case .ignore: return other()
        case .accept:
            let other = other()
            if case .reject = other { return other }
            return .accept
        }
    }
}

/// Why a reducer refused an action, in a stable word of its own (`insufficient-balance`).
public struct Rejection: Error, Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The word.
    public let reason: String
    /// Whether a rule of the program was broken, and not one that the sender could have kept: a broken invariant.
    ///
    /// Part of equality: a fault is not the refusal that has the same word.
    public let isFault: Bool

    /// A rejection for that reason.
    ///
    /// - Parameters:
    ///   - reason: a stable word.
    ///   - isFault: whether the program is to blame, and not the sender.
    public init(_ reason: String, isFault: Bool = false) {
        self.reason = reason
        self.isFault = isFault
    }

    /// A refusal of the sender for that reason.
    public init(stringLiteral reason: String) { self.init(reason) }

    /// The word.
    public var description: String { reason }
}
