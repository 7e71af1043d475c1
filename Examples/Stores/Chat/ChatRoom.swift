public import Stores

/// A chat room: its members, the latest messages, and the members who type.
public struct ChatRoom: Sendable, Equatable {
    /// The members, in the order of entering.
    public var members = EntityTable<ChatMember>()
    /// The latest messages, the oldest first. ``ChatReducer`` limits their number.
    public var messages = EntityTable<ChatMessage>()
    /// The members who type, in the order in which they began.
    public var typing: [ChatMember.ID] = []
    /// The number of the latest message; 0 before the first.
    public var lastMessage = 0

    /// An empty room.
    public init() {}

    /// The number of stored messages that are new to a member: by others, since the member last read.
    public func unread(by id: ChatMember.ID) -> Int {
        guard let member = members[id] else { return 0 }
        // The newest are last: the search stops at the first message that was read.
        return messages.ordered.reversed().prefix { $0.id > member.lastRead }.count { $0.author != id }
    }
}

/// A member of a chat room.
public struct ChatMember: Identifiable, Sendable, Equatable {
    /// The name, unique in the room.
    public let id: String
    /// Whether the ``Moderator`` stops the messages of the member.
    public var isMuted = false
    /// The number of the latest message that the member has read. Messages from before the member entered count as read.
    public var lastRead: Int

    /// A member who may write.
    public init(_ id: String, lastRead: Int = 0) {
        self.id = id
        self.lastRead = lastRead
    }
}

/// A message.
public struct ChatMessage: Identifiable, Sendable, Equatable {
    /// Its number, from 1.
    public let id: Int
    /// The author, who may have left the room.
    public let author: ChatMember.ID
    /// The text.
    public let text: String
    /// The time in milliseconds since 1970.
    public let moment: Int

    /// - Parameter moment: milliseconds since 1970.
    public init(_ id: Int, by author: ChatMember.ID, _ text: String, at moment: Int) {
        self.id = id
        self.author = author
        self.text = text
        self.moment = moment
    }
}

/// The actions of a chat room.
public enum ChatAction: Sendable, Equatable {
    /// A member enters.
    case join(ChatMember.ID)
    /// A member leaves. The messages stay.
    case leave(ChatMember.ID)
    /// A member is muted or unmuted.
    case setMuted(ChatMember.ID, Bool)
    /// A member sends a message. The ``Moderator`` sets the time in milliseconds since 1970.
    case post(by: ChatMember.ID, text: String, at: Int = 0)
    /// A member reads all messages.
    case markRead(ChatMember.ID)
    /// A member presses a key.
    case type(ChatMember.ID)
    /// A member has stopped typing.
    case stopTyping(ChatMember.ID)
}

/// The rules of a chat room. The history is bounded: the oldest message is removed first.
public struct ChatReducer: Reducer {
    /// The maximum number of members.
    public static let mostMembers = 50
    /// The maximum length of a message in characters.
    public static let longestText = 500

    private let historyLimit: Int

    /// - Parameter historyLimit: the maximum number of stored messages.
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
