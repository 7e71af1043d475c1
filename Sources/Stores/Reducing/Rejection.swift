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
