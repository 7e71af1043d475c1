import Storehouse

@main struct Chat: StorehouseApp {
    var kinds: [StoreKind] { chat() }
}

/// - Parameter clock: the clock by which a message gets its time.
func chat(clock: any StoreClock = SystemClock()) -> StoreDefinition<ChatRoom> {
    StoreDefinition("chat", "A chat room.", ChatRoom()) {
        Member("members", \.members)
        Member("messages", \.messages)
        Member("typing", \.typing)
        Member("lastMessage", \.lastMessage)
        join
        leave
        mute
        post
        markRead
        type
        stopTyping
        Moderator(clock: clock)
        TypingPause()
        Selector("unread", "The number of unread messages of each member.") { $0.unread }
    }
}
