/// Somebody in a chat room.
public struct ChatMember: Identifiable, Sendable, Equatable {
    /// The name, which nobody else in the room has.
    public let id: String
    /// Whether the member may only read, which the ``Moderator`` sees to.
    public var isMuted = false
    /// The number of the latest message that the member has read; what was said before the member came counts as read.
    public var lastRead: Int

    /// A member who may write.
    public init(_ id: String, lastRead: Int = 0) {
        self.id = id
        self.lastRead = lastRead
    }
}
