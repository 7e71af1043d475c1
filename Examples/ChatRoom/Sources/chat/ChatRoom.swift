import Storehouse

/// The state of a session: one room with its members and the latest messages.
struct ChatRoom: Equatable {
    static let memberLimit = 50
    static let historyLimit = 200

    /// The members, in the order in which they were let in.
    var members = EntityTable<ChatMember>()
    /// The member who may remove and mute others; nil before the first.
    var host: ActorID?
    /// The latest messages, the oldest first.
    var messages = EntityTable<ChatMessage>()
    /// The members who type, in the order in which they began.
    var typing: [ChatMember.ID] = []
    /// The number of the latest message; 0 before the first.
    var lastMessage = 0

    var isFull: Bool { members.count == Self.memberLimit }

    /// For each member, the number of stored messages by others since the member last read.
    var unread: [ChatMember.ID: Int] {
        var unread: [ChatMember.ID: Int] = [:]
        for member in members.ordered {
            // The newest are last: the search stops at the first message that was read.
            let news = messages.ordered.reversed().prefix { $0.id > member.lastRead }
            unread[member.id] = news.count { $0.author != member.id }
        }
        return unread
    }

    /// Lets somebody in, whose name is known once they enter.
    mutating func add(_ user: ActorID) {
        if !members.contains(user) { members.insert(ChatMember(id: user, lastRead: lastMessage)) }
    }

    mutating func remove(_ user: ActorID) {
        members.remove(user)
        typing.removeAll { $0 == user }
        if host == user { host = members.ids.first }
    }

    /// Appends a message. The history is bounded: the oldest message makes room for the newest.
    mutating func append(_ text: String, by author: ChatMember.ID, at moment: Int) {
        lastMessage += 1
        messages.insert(ChatMessage(id: lastMessage, author: author, text: text, moment: moment))
        while messages.count > Self.historyLimit, let oldest = messages.ids.first { messages.remove(oldest) }
        typing.removeAll { $0 == author }
    }
}

/// A member. A `StoreValue` is `Codable`, and needs no other code to be sent and stored.
struct ChatMember: StoreValue, Identifiable, Equatable {
    /// The id of the user.
    let id: ActorID
    /// Nil until the member has entered.
    var name: String?
    var isMuted = false
    /// The number of the latest message that the member has read. Messages from before the member entered count as read.
    var lastRead = 0
}

struct ChatMessage: StoreValue, Identifiable, Equatable {
    /// Its number, from 1.
    let id: Int
    /// The author, who may have left the room.
    let author: ChatMember.ID
    let text: String
    /// The time in milliseconds since 1970.
    let moment: Int
}
