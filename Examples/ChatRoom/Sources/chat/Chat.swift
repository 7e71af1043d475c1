import Storehouse

@main struct Chat: StorehouseApp {
    var kinds: [StoreKind] { chat() }
}

func chat() -> StoreDefinition<ChatRoom> {
    StoreDefinition("chat", "A chat room.", ChatRoom()) {
        Member("members", \.members)
        Member("host", \.host)
        Member("messages", \.messages)
        Member("typing", \.typing)
        Member("lastMessage", \.lastMessage)
        // Whoever opened the room may use it as well.
        Access { room, actor in room.members.contains(actor.id) ? [.read, .act] : [] }
        // The room is in the list of each of them.
        Members { room in room.members.ids }
        join
        invite
        leave
        remove
        mute
        post
        markRead
        type
        stopTyping
        Moderator()
        TypingPause()
        Selector("unread", "The number of unread messages of the reader.") { room, reader in
            room.unread[reader.id] ?? 0
        }
    }
}
