import Storehouse
import StoresTesting
import Testing

@testable import chat

/// Tests of the store alone, whose clock the test moves.
@Suite struct ChatTests {
    private func room(_ members: ChatMember.ID..., messages: Int = 0) -> ChatRoom {
        var room = ChatRoom(members: EntityTable(members.map { ChatMember(id: $0) }))
        for number in 0..<messages { room.append("\(number)", by: members[0], at: -60_000) }
        return room
    }

    private func store(_ room: ChatRoom) -> TestStore<ChatRoom, ChatAction> {
        let clock = TestClock()
        let chat = chat(clock: clock)
        return TestStore(room, reducer: chat.reducer, middleware: chat.middleware(), clock: clock)
    }

    @Test func theOldestMessageLeavesAFullHistory() throws {
        let store = store(room("Ada", "Bob", messages: ChatRoom.historyLimit))
        try store.dispatch(post("Ada", "The last", 0)) { room in
            room.lastMessage = 201
            room.messages.remove(1)
            room.messages.insert(ChatMessage(id: 201, author: "Ada", text: "The last", moment: 0))
        }
        #expect(store.state.messages.count == 200)
        #expect(store.state.unread == ["Ada": 0, "Bob": 200])
        try store.dispatch(markRead("Bob")) { $0.members.update("Bob") { $0.lastRead = 201 } }
        try store.expectIgnored(markRead("Bob"))
    }

    @Test func membersComeAndGoAndTheirMessagesStay() throws {
        let store = store(room("Ada", messages: 2))
        try store.dispatch(join("Bob")) { $0.members.insert(ChatMember(id: "Bob", lastRead: 2)) }
        try store.expectIgnored(join("Bob"))
        try store.dispatch(leave("Ada")) { $0.members.remove("Ada") }
        try store.expectIgnored(leave("Ada"))
        try store.expectRejected(type("Ada"), "not-a-member")
        try store.expectRejected(post("Ada", "…", 0), "not-a-member")
        #expect(store.state.messages.count == 2)
        #expect(store.state.unread == ["Bob": 0])
    }

    @Test func aFullRoomRejectsNewMembers() throws {
        let members = EntityTable((1...ChatRoom.memberLimit).map { ChatMember(id: "\($0)") })
        try store(ChatRoom(members: members)).expectRejected(join("Ada"), "room-full")
    }

    @Test func typingEndsAfterFiveSecondsWithoutAKey() throws {
        let store = store(room("Ada", "Bob"))
        try store.dispatch(type("Ada")) { $0.typing = ["Ada"] }
        try store.advance(by: .seconds(3))
        try store.dispatch(type("Bob")) { $0.typing = ["Ada", "Bob"] }
        try store.dispatch(type("Ada"))
        try store.advance(by: .seconds(5))
        try store.receive(stopTyping("Bob")) { $0.typing = ["Ada"] }
        try store.receive(stopTyping("Ada")) { $0.typing = [] }
        try store.finish()
    }

    @Test(arguments: [post("Ada", "Hello", 0), leave("Ada"), mute("Ada", true)])
    func nothingIsTypedAfter(_ action: ChatAction) throws {
        let store = store(room("Ada"))
        try store.dispatch(type("Ada")) { $0.typing = ["Ada"] }
        try store.dispatch(action) { room in
            chat().reducer.reduce(&room, action)
            #expect(room.typing == [])
        }
        // Nothing runs that would say it once more.
        try store.finish()
    }

    @Test func nobodyTypesInARestoredRoom() throws {
        var room = room("Ada", "Bob")
        room.typing = ["Ada", "Bob"]
        let store = store(room)
        try store.resume()
        try store.receive(stopTyping("Ada")) { $0.typing = ["Bob"] }
        try store.receive(stopTyping("Bob")) { $0.typing = [] }
    }

    @Test func aMutedMemberCannotSend() throws {
        let store = store(room("Ada"))
        try store.dispatch(mute("Ada", true)) { $0.members.update("Ada") { $0.isMuted = true } }
        try store.expectRejected(post("Ada", "Hello", 0), "muted")
        try store.expectIgnored(type("Ada"))
        try store.dispatch(mute("Ada", false)) { $0.members.update("Ada") { $0.isMuted = false } }
        try store.dispatch(type("Ada")) { $0.typing = ["Ada"] }
        store.end()
    }

    @Test func aFloodIsRejected() throws {
        let store = store(room("Ada", "Bob"))
        for number in 1...5 { try send("\(number)", by: "Ada", to: store) }
        try store.expectRejected(post("Ada", "6", 0), "too-fast")
        try send("7", by: "Bob", to: store)
        try store.advance(by: .seconds(10))
        try send("8", by: "Ada", to: store)
    }

    private func send(_ text: String, by author: String, to store: TestStore<ChatRoom, ChatAction>) throws {
        let now = store.clock.now()
        try store.dispatch(post(author, text, now)) { $0.append(text, by: author, at: now) }
    }
}
