public import Stores

/// A chat room: who is in it, what was said last, who is typing.
public struct ChatRoom: Sendable, Equatable {
    /// Who is in the room, in the order of coming.
    public var members = EntityTable<ChatMember>()
    /// The latest messages, the oldest first; ``ChatReducer`` says how many are kept.
    public var messages = EntityTable<ChatMessage>()
    /// Who is typing, in the order of beginning.
    public var typing: [ChatMember.ID] = []
    /// The number of the latest message; 0 before the first.
    public var lastMessage = 0

    /// An empty room.
    public init() {}

    /// How many of the messages that are kept are new to a member: others have written them since the member read last.
    public func unread(by id: ChatMember.ID) -> Int {
        guard let member = members[id] else { return 0 }
        // The newest stand last: what was read before is not looked at.
        return messages.ordered.reversed().prefix { $0.id > member.lastRead }.count { $0.author != id }
    }
}
