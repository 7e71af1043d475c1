public import Stores

/// A store of one member's badge: how many messages are new to the member.
///
///     let badge = room.connected(by: UnreadBadge(of: "Ada"))
///     let subscription = badge.observe { print($0) }
///     badge.send(.tap)
public struct UnreadBadge: Connector {
    /// What can be done with a badge.
    public enum Gesture: Sendable {
        /// The member reads all messages.
        case tap
    }

    private let member: ChatMember.ID

    /// The badge of that member; 0 for somebody who is not in the room.
    public init(of member: ChatMember.ID) { self.member = member }

    public func viewState(of room: ChatRoom) -> Int { room.unread(by: member) }

    public func action(for gesture: Gesture) -> ChatAction { .markRead(member) }

    /// While nobody comes, goes, writes or reads, nothing is counted again: typing costs a badge nothing.
    public func stamps(of room: ChatRoom) -> [ChangeToken] { [room.members.stamp, room.messages.stamp] }
}
