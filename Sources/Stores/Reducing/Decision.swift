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
