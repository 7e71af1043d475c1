public import Stores

/// Notices when a member stops typing: each key puts it off, and a message, or going, settles it.
public struct TypingMiddleware: Middleware {
    private let pause: Duration

    /// - Parameter pause: after how long without a key a member is said to type no more.
    public init(pause: Duration = .seconds(5)) { self.pause = pause }

    public func respond(to commit: borrowing Commit<ChatRoom, ChatAction>) -> Effect<ChatAction> {
        switch commit.action {
        case .type(let id): .run(Self.effect(of: id), .debounced(for: pause)) { .stopTyping(id) }
        case .post(let id, _, _), .leave(let id), .setMuted(let id, true): .cancel(Self.effect(of: id))
        case .join, .setMuted, .markRead, .stopTyping: .none
        }
    }

    /// Whoever was typing when the room was kept has stopped since.
    public func resume(_ room: ChatRoom) -> Effect<ChatAction> {
        .merge(room.typing.map { .dispatch(.stopTyping($0)) })
    }

    private static func effect(of id: ChatMember.ID) -> EffectID { EffectID("chat.typing.\(id)") }
}
