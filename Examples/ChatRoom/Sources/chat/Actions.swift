import Storehouse

typealias ChatAction = StoreAction<ChatRoom>

private let member = Field<String>.text("member", 1...256, example: "bob")

let join = Action<ChatRoom, Filled<Actor>>(
    "join", "A member enters. The first one is the host.", .actor("who"),
    rules: .reject("identity-required") { _, who in who.id.isEmpty },
    .ignore { room, who in room.members[who.id]?.name != nil },
    .reject("room-full") { room, who in room.isFull && !room.members.contains(who.id) }
) { room, who in
    room.add(who.id)
    room.members.update(who.id) { $0.name = who.name ?? who.id.text }
    room.host = room.host ?? who.id
}

let invite = Action<ChatRoom, (Filled<ActorID>, String)>(
    "invite", "A member lets somebody in.", .user("by"), member,
    rules: .reject("not-a-member") { room, user, _ in !room.members.contains(user) },
    .ignore { room, _, member in room.members.contains(ActorID(member)) },
    .reject("room-full") { room, _, _ in room.isFull }
) { room, _, member in room.add(ActorID(member)) }

let leave = Action<ChatRoom, Filled<ActorID>>(
    "leave", "A member leaves. The messages stay.", .user("member"),
    rules: .ignore { room, user in !room.members.contains(user) }
) { room, user in room.remove(user) }

let remove = Action<ChatRoom, (Filled<ActorID>, String)>(
    "remove", "The host removes a member.", .user("by"), member,
    rules: .reject("not-the-host") { room, user, _ in room.host != user },
    .ignore { room, _, member in !room.members.contains(ActorID(member)) }
) { room, _, member in room.remove(ActorID(member)) }

let mute = Action<ChatRoom, (Filled<ActorID>, String, Bool)>(
    "mute", "The host mutes a member, or ends that.", .user("by"), member,
    .boolean("isMuted", example: true).defaulting(to: true),
    rules: .reject("not-the-host") { room, user, _, _ in room.host != user },
    .ignore { room, _, member, isMuted in room.members[ActorID(member)]?.isMuted != !isMuted }
) { room, _, member, isMuted in
    room.members.update(ActorID(member)) { $0.isMuted = isMuted }
    if isMuted { room.typing.removeAll { $0 == ActorID(member) } }
}

let post = Action<ChatRoom, (Filled<ActorID>, Filled<Int>, String)>(
    "post", "A member sends a message.", .user("author"), .now("moment"), .text("text", 1...500, example: "Hello"),
    rules: .reject("not-a-member") { room, user, _, _ in !room.members.contains(user) }
) { room, user, moment, text in room.append(text, by: user, at: moment) }

let markRead = Action<ChatRoom, Filled<ActorID>>(
    "markRead", "A member has read all messages.", .user("member"),
    rules: .ignore { room, user in room.unread[user] ?? 0 == 0 }
) { room, user in room.members.update(user) { [last = room.lastMessage] in $0.lastRead = last } }

let type = Action<ChatRoom, Filled<ActorID>>(
    "type", "A member presses a key.", .user("member"),
    rules: .reject("not-a-member") { room, user in !room.members.contains(user) }
) { room, user in if !room.typing.contains(user) { room.typing.append(user) } }

let stopTyping = Action<ChatRoom, String>(
    "stopTyping", "A member has stopped typing.", member, audience: .internal,
    rules: .ignore { room, member in !room.typing.contains(ActorID(member)) }
) { room, member in room.typing.removeAll { $0 == ActorID(member) } }
