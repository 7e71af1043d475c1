public import Stores

/// The rules of a chat room. Its history is bounded: with a message too many, the oldest leaves.
public struct ChatReducer: Reducer {
    /// How many members a room has room for.
    public static let mostMembers = 50
    /// How many characters a message may have.
    public static let longestText = 500

    private let historyLimit: Int

    /// - Parameter historyLimit: how many messages are kept.
    public init(historyLimit: Int = 200) { self.historyLimit = historyLimit }

    public func decide(_ action: ChatAction, in room: ChatRoom) -> Decision {
        switch action {
        case .join(let id):
            if room.members.contains(id) { return .ignore }
            return room.members.count < Self.mostMembers ? .accept : .reject("room-full")
        case .post(let author, let text, _):
            if text.isEmpty { return .reject("empty-message") }
            if text.count > Self.longestText { return .reject("message-too-long") }
            return room.members.contains(author) ? .accept : .reject("not-a-member")
        case .type(let id): return room.members.contains(id) ? .accept : .reject("not-a-member")
        case .leave(let id): return room.members.contains(id) ? .accept : .ignore
        case .setMuted(let id, let isMuted): return room.members[id]?.isMuted == !isMuted ? .accept : .ignore
        case .markRead(let id): return room.unread(by: id) > 0 ? .accept : .ignore
        case .stopTyping(let id): return room.typing.contains(id) ? .accept : .ignore
        }
    }

    public func reduce(_ room: inout ChatRoom, _ action: ChatAction) {
        switch action {
        case .join(let id):
            room.members.insert(ChatMember(id, lastRead: room.lastMessage))
        case .leave(let id):
            room.members.remove(id)
            room.typing.removeAll { $0 == id }
        case .setMuted(let id, let isMuted):
            room.members.update(id) { $0.isMuted = isMuted }
            if isMuted { room.typing.removeAll { $0 == id } }
        case .post(let author, let text, let moment):
            post(text, by: author, at: moment, in: &room)
        case .markRead(let id):
            room.members.update(id) { [last = room.lastMessage] in $0.lastRead = last }
        case .type(let id):
            if !room.typing.contains(id) { room.typing.append(id) }
        case .stopTyping(let id):
            room.typing.removeAll { $0 == id }
        }
    }

    private func post(_ text: String, by author: ChatMember.ID, at moment: Int, in room: inout ChatRoom) {
        room.lastMessage += 1
        room.messages.insert(ChatMessage(room.lastMessage, by: author, text, at: moment))
        while room.messages.count > historyLimit, let oldest = room.messages.ids.first {
            room.messages.remove(oldest)
        }
        room.typing.removeAll { $0 == author }
    }
}
