/// The rights that a state gives to an actor who does not own the session.
public struct AccessRights: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// To see the state, the action log and the event stream.
    public static let read = AccessRights(rawValue: 1)
    /// To send actions.
    public static let act = AccessRights(rawValue: 2)
    /// To make and to revoke shares.
    public static let share = AccessRights(rawValue: 4)
    /// To delete the session.
    public static let delete = AccessRights(rawValue: 8)
}

extension AccessRights {
    /// The right with this name; nil if there is none.
    package init?(named name: String) {
        switch name {
        case "read": self = .read
        case "act": self = .act
        case "share": self = .share
        case "delete": self = .delete
        default: return nil
        }
    }
}
