/// The reason why an action was rejected: a stable code, such as `insufficient-balance`.
public struct Rejection: Error, Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The code.
    public let reason: String
    /// Whether the program is at fault, by a broken invariant, and not the sender.
    ///
    /// It counts for equality: a fault differs from a rejection with the same code.
    public let isFault: Bool

    /// A rejection with this reason.
    ///
    /// - Parameters:
    ///   - reason: a stable code.
    ///   - isFault: whether the program is at fault, and not the sender.
    public init(_ reason: String, isFault: Bool = false) {
        self.reason = reason
        self.isFault = isFault
    }

    /// A rejection with this reason, which is not a fault.
    public init(stringLiteral reason: String) { self.init(reason) }

    /// The code.
    public var description: String { reason }
}

extension Rejection {
    /// An action whose sender may not send it in this state. No reducer rejects an action with it, as it is a fault.
    package static let accessDenied = Rejection("access-denied:", isFault: true)

    private static let undeclared = "undeclared-action:"
    private static let withoutUser = "identity-required:"

    /// An action with this name, which the definition of the store does not contain.
    package static func undeclaredAction(_ name: String) -> Rejection { Rejection(undeclared + name, isFault: true) }

    /// An action with this name, which needs a user, and which the store has sent to itself.
    package static func sentWithoutUser(_ name: String) -> Rejection { Rejection(withoutUser + name, isFault: true) }

    /// The name of an undeclared action; nil for any other rejection.
    var undeclaredAction: String? { action(behind: Self.undeclared) }

    /// The name of an action that was sent without a user; nil for any other rejection.
    var actionWithoutUser: String? { action(behind: Self.withoutUser) }

    private func action(behind prefix: String) -> String? {
        isFault && reason.hasPrefix(prefix) ? String(reason.dropFirst(prefix.count)) : nil
    }
}

extension Rejection {
    /// An action that would start more effects than the store, or the queue of one, may have.
    public static let tooManyEffects: Rejection = "too-many-effects"

    /// An action that would make the state larger than the host of the store allows.
    package static let stateTooLarge: Rejection = "state-too-large"

    /// An action that would give a state more members than the index of a host takes.
    package static let tooManyMembers: Rejection = "too-many-members"
}
