/// A fault of the program that a store has contained: nothing is lost but what it names, and the store goes on.
public enum StoreFault: Sendable, Hashable {
    /// Actions kept following from one another; those that still waited were dropped.
    case cascadeStopped(limit: Int, dropped: Int)
    /// A change would have broken the invariant of that name; it was rejected.
    case invariantBroken(String)
}

extension StoreFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .cascadeStopped(let limit, let dropped):
            "one action set off more than \(limit) others, so the \(dropped) that still waited were dropped: "
                + "look for a middleware or a subscriber that answers its own actions"
        case .invariantBroken(let name):
            "an action would have broken the invariant \(name) and was rejected: the reducer should have refused it"
        }
    }
}
