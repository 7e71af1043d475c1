/// Something that was said in a chat room.
public struct ChatMessage: Identifiable, Sendable, Equatable {
    /// Its number, counted from 1 since the room began.
    public let id: Int
    /// Who wrote it, in the room still or not.
    public let author: ChatMember.ID
    /// What it says.
    public let text: String
    /// When it was sent, in milliseconds since 1970.
    public let moment: Int

    /// - Parameter moment: milliseconds since 1970.
    public init(_ id: Int, by author: ChatMember.ID, _ text: String, at moment: Int) {
        self.id = id
        self.author = author
        self.text = text
        self.moment = moment
    }
}
