public import Stores

/// A badge with the number of messages that are new to a member.
///
///     let badge = room.connected(by: UnreadBadge(of: "Ada"))
///     let subscription = badge.observe { print($0) }
///     badge.send(.tap)
public struct UnreadBadge: Connector {
    /// The actions of a badge.
    public enum Gesture: Sendable {
        /// The member reads all messages.
        case tap
    }

    private let member: ChatMember.ID

    /// The badge of a member. It is 0 for a name that is not in the room.
    public init(of member: ChatMember.ID) { self.member = member }

    public func viewState(of room: ChatRoom) -> Int { room.unread(by: member) }

    public func action(for gesture: Gesture) -> ChatAction { .markRead(member) }

    /// Only members and messages change the badge, so typing does not recompute it.
    public func stamps(of room: ChatRoom) -> [ChangeToken] { [room.members.stamp, room.messages.stamp] }
}
