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
    private static let undeclared = "undeclared-action:"

    /// An action with this name, which the definition of the store does not contain.
    package static func undeclaredAction(_ name: String) -> Rejection { Rejection(undeclared + name, isFault: true) }

    /// The name of such an action; nil for any other rejection.
    var undeclaredAction: String? {
        isFault && reason.hasPrefix(Self.undeclared) ? String(reason.dropFirst(Self.undeclared.count)) : nil
    }
}

extension Rejection {
    /// An action that would start more effects than the store, or the queue of one, may have.
    public static let tooManyEffects: Rejection = "too-many-effects"

    /// An action that would make the state larger than the host of the store allows.
    package static let stateTooLarge: Rejection = "state-too-large"
}
