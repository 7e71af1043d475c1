/// What can happen in a chat room.
public enum ChatAction: Sendable, Equatable {
    /// Somebody comes in.
    case join(ChatMember.ID)
    /// A member goes; the messages stay.
    case leave(ChatMember.ID)
    /// A member may only read from now on, or may write again.
    case setMuted(ChatMember.ID, Bool)
    /// A member says something. The ``Moderator`` puts in the time: milliseconds since 1970.
    case post(by: ChatMember.ID, text: String, at: Int = 0)
    /// A member has read all messages.
    case markRead(ChatMember.ID)
    /// A member presses a key.
    case type(ChatMember.ID)
    /// A member has pressed no key for a while.
    case stopTyping(ChatMember.ID)
}
