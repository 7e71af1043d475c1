import Storehouse

typealias ChatAction = StoreAction<ChatRoom>

private let name = Field<String>.text("name", 1...40, example: "Ada")

let join = Action<ChatRoom, String>(
    "join", "A member enters.", name,
    rules: .ignore { room, name in room.members.contains(name) },
    .reject("room-full") { room, _ in room.members.count == ChatRoom.memberLimit }
) { room, name in room.members.insert(ChatMember(id: name, lastRead: room.lastMessage)) }

let leave = Action<ChatRoom, String>(
    "leave", "A member leaves. The messages stay.", name, rules: .ignore { room, name in !room.members.contains(name) }
) { room, name in
    room.members.remove(name)
    room.typing.removeAll { $0 == name }
}

let mute = Action<ChatRoom, (String, Bool)>(
    "mute", "Mutes a member, or ends that.", name, .boolean("isMuted", example: true).defaulting(to: true),
    rules: .ignore { room, name, isMuted in room.members[name]?.isMuted != !isMuted }
) { room, name, isMuted in
    room.members.update(name) { $0.isMuted = isMuted }
    if isMuted { room.typing.removeAll { $0 == name } }
}

let post = Action<ChatRoom, (String, String, Int)>(
    "post", "A member sends a message.", name, .text("text", 1...500, example: "Hello"),
    .integer("now", atLeast: 0, example: 0).defaulting(to: 0).described("Milliseconds since 1970, set by the server."),
    rules: .reject("not-a-member") { room, name, _, _ in !room.members.contains(name) }
) { room, name, text, now in room.append(text, by: name, at: now) }

let markRead = Action<ChatRoom, String>(
    "markRead", "A member has read all messages.", name, rules: .ignore { room, name in room.unread[name] ?? 0 == 0 }
) { room, name in room.members.update(name) { [last = room.lastMessage] in $0.lastRead = last } }

let type = Action<ChatRoom, String>(
    "type", "A member presses a key.", name,
    rules: .reject("not-a-member") { room, name in !room.members.contains(name) }
) { room, name in if !room.typing.contains(name) { room.typing.append(name) } }

let stopTyping = Action<ChatRoom, String>(
    "stopTyping", "A member has stopped typing.", name, audience: .internal,
    rules: .ignore { room, name in !room.typing.contains(name) }
) { room, name in room.typing.removeAll { $0 == name } }
