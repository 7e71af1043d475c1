import Storehouse

/// Stops messages of muted members, and rejects floods.
struct Moderator: Interceptor {
    /// How many messages of a member are accepted within the window.
    let limit = 5
    /// In milliseconds.
    let window = 10_000

    func intercept(_ action: ChatAction, in room: ChatRoom) -> Interception<ChatAction> {
        if let (author, moment, _) = post.values(in: action) { return admit(author.value, at: moment.value, to: room) }
        // Stopped and not rejected: a muted member need not know.
        if let user = type.values(in: action), room.members[user.value]?.isMuted == true { return .stop }
        return .pass
    }

    func respond(to commit: borrowing Commit<ChatRoom, ChatAction>) -> Effect<ChatAction> { .none }

    private func admit(_ author: ActorID, at moment: Int, to room: ChatRoom) -> Interception<ChatAction> {
        if room.members[author]?.isMuted == true { return .reject("muted") }
        let recent = room.messages.ordered.reversed().prefix { $0.moment > moment - window }
        return recent.count(where: { $0.author == author }) >= limit ? .reject("too-fast") : .pass
    }
}

/// Notices when a member stops typing: after five seconds without a key.
struct TypingPause: Middleware {
    func respond(to commit: borrowing Commit<ChatRoom, ChatAction>) -> Effect<ChatAction> {
        let action = commit.action
        if let user = type.values(in: action) {
            let member = user.text
            return .run("typing.\(member)", .debounced(for: .seconds(5))) { stopTyping(member) }
        }
        if let (author, _, _) = post.values(in: action) { return .cancel("typing.\(author.text)") }
        if let user = leave.values(in: action) { return .cancel("typing.\(user.text)") }
        if let (_, member) = remove.values(in: action) { return .cancel("typing.\(member)") }
        if case (_, let member, true)? = mute.values(in: action) { return .cancel("typing.\(member)") }
        return .none
    }

    /// Nobody types in a room that continues after a restart.
    func resume(_ room: ChatRoom) -> Effect<ChatAction> { .merge(room.typing.map { .dispatch(stopTyping($0.text)) }) }
}
