import ExampleStores
import Locks
import Stores
import StoresTesting
import Testing

@Suite struct ChatTests {
    private static func room(_ members: ChatMember.ID..., messages: Int = 0) -> ChatRoom {
        var room = ChatRoom()
        for member in members { room.members.insert(ChatMember(member)) }
        for number in 0..<messages {
            ChatReducer().reduce(&room, .post(by: members[0], text: "\(number + 1)"))
        }
        return room
    }

    private func store(
        _ room: ChatRoom = room("Ada", "Bob"), historyLimit: Int = 200
    ) -> TestStore<ChatRoom, ChatAction> {
        let clock = TestClock()
        return TestStore(
            room, reducer: ChatReducer(historyLimit: historyLimit),
            middleware: [Moderator(clock: clock, limit: 2, window: 10_000), TypingMiddleware()], clock: clock)
    }

    @Test func theOldestMessagesLeaveAFullHistory() throws {
        let store = store(historyLimit: 3)
        for number in 1...5 {
            let moment = store.clock.now()
            try store.dispatch(.post(by: "Ada", text: "\(number)", at: moment)) { room in
                room.lastMessage = number
                room.messages.insert(ChatMessage(number, by: "Ada", "\(number)", at: moment))
                if number > 3 { room.messages.remove(number - 3) }
            }
            try store.advance(by: .seconds(10))
        }
        #expect(store.state.messages.ordered.map(\.text) == ["3", "4", "5"])
        #expect(store.state.unread(by: "Bob") == 3)
    }

    @Test func membersComeAndGoAndTheirMessagesStay() throws {
        let store = store(Self.room("Ada", messages: 2))
        try store.dispatch(.join("Bob")) { $0.members.insert(ChatMember("Bob", lastRead: 2)) }
        try store.expectIgnored(.join("Bob"))
        try store.dispatch(.leave("Ada")) { $0.members.remove("Ada") }
        try store.expectIgnored(.leave("Ada"))
        try store.expectRejected(.type("Ada"), "not-a-member")
        try store.expectRejected(.post(by: "Ada", text: "…"), "not-a-member")
        #expect(store.state.messages.count == 2)
        #expect(store.state.unread(by: "Bob") == 0)
    }

    @Test func aFullRoomRejectsNewMembers() throws {
        var room = ChatRoom()
        for number in 1...ChatReducer.mostMembers { room.members.insert(ChatMember("\(number)")) }
        try store(room).expectRejected(.join("Ada"), "room-full")
    }

    @Test(arguments: [(0, "empty-message"), (501, "message-too-long")])
    func aMessageHasALength(_ length: Int, _ reason: String) throws {
        let text = String(repeating: "👩‍👩‍👧‍👧", count: length)
        try store().expectRejected(.post(by: "Ada", text: text), Rejection(reason))
    }

    @Test func typingEndsAfterFiveSecondsWithoutAKey() throws {
        let store = store()
        try store.dispatch(.type("Ada")) { $0.typing = ["Ada"] }
        try store.advance(by: .seconds(3))
        try store.dispatch(.type("Bob")) { $0.typing = ["Ada", "Bob"] }
        try store.dispatch(.type("Ada"))
        try store.advance(by: .seconds(5))
        try store.receive(.stopTyping("Bob")) { $0.typing = ["Ada"] }
        try store.receive(.stopTyping("Ada")) { $0.typing = [] }
        try store.finish()
    }

    @Test(arguments: [ChatAction.post(by: "Ada", text: "Hello"), .leave("Ada"), .setMuted("Ada", true)])
    func nothingIsTypedAfter(_ action: ChatAction) throws {
        let store = store()
        try store.dispatch(.type("Ada")) { $0.typing = ["Ada"] }
        try store.dispatch(action) { room in
            ChatReducer().reduce(&room, action)
            #expect(room.typing == [])
        }
        // Nothing runs that would tell it once more.
        try store.finish()
    }

    @Test func nobodyTypesInARestoredRoom() throws {
        var room = Self.room("Ada", "Bob")
        room.typing = ["Ada", "Bob"]
        let store = store(room)
        try store.resume()
        try store.receive(.stopTyping("Ada")) { $0.typing = ["Bob"] }
        try store.receive(.stopTyping("Bob")) { $0.typing = [] }
    }

    @Test func aMutedMemberCannotSend() throws {
        let store = store()
        try store.dispatch(.setMuted("Ada", true)) { $0.members.update("Ada") { $0.isMuted = true } }
        try store.expectRejected(.post(by: "Ada", text: "Hello"), "muted")
        try store.expectIgnored(.type("Ada"))
        try store.dispatch(.setMuted("Ada", false)) { $0.members.update("Ada") { $0.isMuted = false } }
        try store.dispatch(.type("Ada")) { $0.typing = ["Ada"] }
        store.end()
    }

    @Test func floodingIsRejected() throws {
        let store = store()
        try post("1", by: "Ada", to: store)
        try store.advance(by: .seconds(9))
        try post("2", by: "Ada", to: store)
        try store.expectRejected(.post(by: "Ada", text: "3"), "too-fast")
        try post("4", by: "Bob", to: store)
        try store.advance(by: .seconds(1))
        try post("5", by: "Ada", to: store)
        try store.expectRejected(.post(by: "Ada", text: "6"), "too-fast")
        #expect(store.state.messages.ordered.map(\.moment) == [0, 9_000, 9_000, 10_000])
    }

    private func post(
        _ text: String, by author: ChatMember.ID, to store: TestStore<ChatRoom, ChatAction>
    ) throws {
        let action = ChatAction.post(by: author, text: text, at: store.clock.now())
        try store.dispatch(action) { ChatReducer().reduce(&$0, action) }
    }

    @Test func aBadgeCountsWhatIsNewToItsMember() {
        let store = Store(Self.room("Ada", "Bob"), reducer: ChatReducer())
        let badge = store.connected(by: UnreadBadge(of: "Bob"))
        let counts = Locked<[Int]>([])
        let subscription = badge.observe { count in counts.withLock { $0.append(count) } }
        store.dispatch(.post(by: "Ada", text: "Hello"))
        store.dispatch(.type("Ada"))
        store.dispatch(.post(by: "Bob", text: "Hello, Ada"))
        store.dispatch(.post(by: "Ada", text: "How are you?"))
        #expect(badge.state == 2)
        badge.send(.tap)
        store.dispatch(.post(by: "Ada", text: "Bob?"))
        #expect(counts.withLock { $0 } == [0, 1, 2, 0, 1])
        subscription.cancel()
    }
}
