import Storehouse

/// Stops messages of muted members, rejects floods, and sets the time of each message.
struct Moderator: Interceptor {
    let clock: any StoreClock
    /// How many messages of a member are accepted within the window.
    let limit = 5
    /// In milliseconds.
    let window = 10_000

    func intercept(_ action: ChatAction, in room: ChatRoom) -> Interception<ChatAction> {
        if let (author, text, _) = post.values(in: action) { return admit(text, by: author, to: room) }
        // Stopped and not rejected: a muted member need not know.
        if let name = type.values(in: action), room.members[name]?.isMuted == true { return .stop }
        return .pass
    }

    func respond(to commit: borrowing Commit<ChatRoom, ChatAction>) -> Effect<ChatAction> { .none }

    private func admit(_ text: String, by author: ChatMember.ID, to room: ChatRoom) -> Interception<ChatAction> {
        if room.members[author]?.isMuted == true { return .reject("muted") }
        let now = clock.now()
        let recent = room.messages.ordered.reversed().prefix { $0.moment > now - window }
        if recent.count(where: { $0.author == author }) >= limit { return .reject("too-fast") }
        return .replace(post(author, text, now))
    }
}

/// Notices when a member stops typing: after five seconds without a key.
struct TypingPause: Middleware {
    func respond(to commit: borrowing Commit<ChatRoom, ChatAction>) -> Effect<ChatAction> {
        let action = commit.action
        if let name = type.values(in: action) {
            return .run("typing.\(name)", .debounced(for: .seconds(5))) { stopTyping(name) }
        }
        if let (name, _, _) = post.values(in: action) { return .cancel("typing.\(name)") }
        if let name = leave.values(in: action) { return .cancel("typing.\(name)") }
        if case (let name, true)? = mute.values(in: action) { return .cancel("typing.\(name)") }
        return .none
    }

    /// Nobody types in a room that continues after a restart.
    func resume(_ room: ChatRoom) -> Effect<ChatAction> { .merge(room.typing.map { .dispatch(stopTyping($0)) }) }
}
