public import Stores

/// An interceptor that stops messages of muted members and rejects floods.
///
/// It has no state of its own, so one moderator serves any number of rooms.
public struct Moderator: Interceptor {
    private let clock: any StoreClock
    private let limit: Int
    private let window: Int

    /// - Parameters:
    ///   - clock: the clock for the time of a message.
    ///   - limit: the maximum number of messages of one member within `window`. Only stored messages count.
    ///   - window: in milliseconds.
    public init(clock: any StoreClock = SystemClock(), limit: Int = 5, window: Int = 10_000) {
        self.clock = clock
        self.limit = limit
        self.window = window
    }

    public func intercept(_ action: ChatAction, in room: ChatRoom) -> Interception<ChatAction> {
        switch action {
        case .post(let author, let text, _): admit(text, by: author, to: room)
        // Stopped and not rejected: a muted member need not know.
        case .type(let id): room.members[id]?.isMuted == true ? .stop : .pass
        case .join, .leave, .setMuted, .markRead, .stopTyping: .pass
        }
    }

    private func admit(_ text: String, by author: ChatMember.ID, to room: ChatRoom) -> Interception<ChatAction> {
        // The reducer rejects senders that are not in the room.
        guard let member = room.members[author] else { return .pass }
        if member.isMuted { return .reject("muted") }
        let now = clock.now()
        let recent = room.messages.ordered.reversed().prefix { $0.moment > now - window }
        if recent.count(where: { $0.author == author }) >= limit { return .reject("too-fast") }
        return .replace(.post(by: author, text: text, at: now))
    }
}

/// Detects when a member stops typing. Each key restarts the pause; a message, or leaving, ends it.
public struct TypingMiddleware: Middleware {
    private let pause: Duration

    /// - Parameter pause: the time without a key after which a member no longer types.
    public init(pause: Duration = .seconds(5)) { self.pause = pause }

    public func respond(to commit: borrowing Commit<ChatRoom, ChatAction>) -> Effect<ChatAction> {
        switch commit.action {
        case .type(let id): .run(Self.effect(of: id), .debounced(for: pause)) { .stopTyping(id) }
        case .post(let id, _, _), .leave(let id), .setMuted(let id, true): .cancel(Self.effect(of: id))
        case .join, .setMuted, .markRead, .stopTyping: .none
        }
    }

    /// Nobody types in a restored room.
    public func resume(_ room: ChatRoom) -> Effect<ChatAction> {
        .merge(room.typing.map { .dispatch(.stopTyping($0)) })
    }

    private static func effect(of id: ChatMember.ID) -> EffectID { EffectID("chat.typing.\(id)") }
}
