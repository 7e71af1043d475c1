public import Stores

/// Stands at the door of a chat room: who is muted is not heard, and nobody floods the room.
///
/// It reads the room and remembers nothing itself, so that one moderator serves any number of rooms.
public struct Moderator: Interceptor {
    private let clock: any StoreClock
    private let limit: Int
    private let window: Int

    /// - Parameters:
    ///   - clock: says when a message came.
    ///   - limit: how many messages of one member may come within `window`. No more than the room keeps are counted.
    ///   - window: in milliseconds.
    public init(clock: any StoreClock = SystemClock(), limit: Int = 5, window: Int = 10_000) {
        self.clock = clock
        self.limit = limit
        self.window = window
    }

    public func intercept(_ action: ChatAction, in room: ChatRoom) -> Interception<ChatAction> {
        switch action {
        case .post(let author, let text, _): admit(text, by: author, to: room)
        // Nobody waits for a message that will not come, and the sender need not know.
        case .type(let id): room.members[id]?.isMuted == true ? .stop : .pass
        case .join, .leave, .setMuted, .markRead, .stopTyping: .pass
        }
    }

    private func admit(_ text: String, by author: ChatMember.ID, to room: ChatRoom) -> Interception<ChatAction> {
        // Whoever is not in the room is for the reducer to refuse.
        guard let member = room.members[author] else { return .pass }
        if member.isMuted { return .reject("muted") }
        let now = clock.now()
        let recent = room.messages.ordered.reversed().prefix { $0.moment > now - window }
        if recent.count(where: { $0.author == author }) >= limit { return .reject("too-fast") }
        return .replace(.post(by: author, text: text, at: now))
    }
}
