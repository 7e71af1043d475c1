import Storehouse
import StoresTesting
import Testing

@testable import chat

/// Tests of the store alone, whose clock the test moves.
@Suite struct ChatTests {
    private func room(_ members: ActorID..., messages: Int = 0) -> ChatRoom {
        var room = ChatRoom(members: EntityTable(members.map { ChatMember(id: $0, name: $0.text) }), host: members[0])
        for number in 0..<messages { room.append("\(number)", by: members[0], at: -60_000) }
        return room
    }

    private func store(_ room: ChatRoom) -> TestStore<ChatRoom, ChatAction> {
        TestStore(room, reducer: chat().reducer, middleware: chat().middleware(), clock: TestClock())
    }

    @Test func theOldestMessageLeavesAFullHistory() throws {
        let store = store(room("Ada", "Bob", messages: ChatRoom.historyLimit))
        try store.as(ada).dispatch(post("The last")) { room in
            room.lastMessage = 201
            room.messages.remove(1)
            room.messages.insert(ChatMessage(id: 201, author: "Ada", text: "The last", moment: 0))
        }
        #expect(store.state.messages.count == 200)
        #expect(store.state.unread == ["Ada": 0, "Bob": 200])
        #expect(chat().selected("unread", of: store.state, for: bob) == 200)
        try store.as(bob).dispatch(markRead()) { $0.members.update("Bob") { $0.lastRead = 201 } }
        try store.as(bob).expectIgnored(markRead())
    }

    @Test func membersComeAndGoAndTheirMessagesStay() throws {
        let store = store(room("Ada", messages: 2))
        try store.as(bob).expectRejected(invite("Bob"), "not-a-member")
        try store.as(ada).dispatch(invite("Bob")) { $0.members.insert(ChatMember(id: "Bob", lastRead: 2)) }
        try store.as(bob).dispatch(join()) { $0.members.update("Bob") { $0.name = "Bobby" } }
        try store.as(bob).expectIgnored(join())
        try store.as(ada).dispatch(leave()) {
            $0.members.remove("Ada")
            $0.host = "Bob"
        }
        try store.as(ada).expectIgnored(leave())
        try store.as(ada).expectRejected(type(), "not-a-member")
        try store.as(ada).expectRejected(post("…"), "not-a-member")
        #expect(store.state.messages.count == 2)
        #expect(store.state.unread == ["Bob": 0])
    }

    @Test func onlyTheHostRemovesAndMutes() throws {
        let store = store(room("Ada", "Bob"))
        try store.as(bob).expectRejected(remove("Ada"), "not-the-host")
        try store.as(bob).expectRejected(mute("Ada", true), "not-the-host")
        try store.as(ada).dispatch(remove("Bob")) { $0.members.remove("Bob") }
        try store.as(ada).expectIgnored(remove("Bob"))
    }

    @Test func aRemovedMemberHasNoAccess() {
        let definition = chat()
        #expect(definition.rights(of: bob, in: room("Ada", "Bob")) == [.read, .act])
        #expect(definition.rights(of: bob, in: room("Ada")) == [])
    }

    @Test func aFullRoomRejectsNewMembers() throws {
        let members = EntityTable((1...ChatRoom.memberLimit).map { ChatMember(id: ActorID("\($0)")) })
        let store = store(ChatRoom(members: members))
        try store.as(ada).expectRejected(join(), "room-full")
        try store.as(.user("1")).expectRejected(invite("Ada"), "room-full")
        try store.as(.user("1")).dispatch(join()) {
            $0.members.update("1") { $0.name = "1" }
            $0.host = "1"
        }
    }

    @Test func typingEndsAfterFiveSecondsWithoutAKey() throws {
        let store = store(room("Ada", "Bob"))
        try store.as(ada).dispatch(type()) { $0.typing = ["Ada"] }
        try store.advance(by: .seconds(3))
        try store.as(bob).dispatch(type()) { $0.typing = ["Ada", "Bob"] }
        try store.as(ada).dispatch(type())
        try store.advance(by: .seconds(5))
        try store.receive(stopTyping("Bob")) { $0.typing = ["Ada"] }
        try store.receive(stopTyping("Ada")) { $0.typing = [] }
        try store.finish()
    }

    @Test(arguments: [post("Hello"), leave(), mute("Ada", true)])
    func nothingIsTypedAfter(_ action: ChatAction) throws {
        let store = store(room("Ada"))
        try store.as(ada).dispatch(type()) { $0.typing = ["Ada"] }
        try store.as(ada).dispatch(action) { $0 = store.state }
        #expect(store.state.typing == [])
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
        try store.as(ada).dispatch(mute("Ada", true)) { $0.members.update("Ada") { $0.isMuted = true } }
        try store.as(ada).expectRejected(post("Hello"), "muted")
        try store.as(ada).expectIgnored(type())
        try store.as(ada).dispatch(mute("Ada", false)) { $0.members.update("Ada") { $0.isMuted = false } }
        try store.as(ada).dispatch(type()) { $0.typing = ["Ada"] }
        store.end()
    }

    @Test func aFloodIsRejected() throws {
        let store = store(room("Ada", "Bob"))
        for number in 1...5 { try send("\(number)", by: ada, to: store) }
        try store.as(ada).expectRejected(post("6"), "too-fast")
        try send("7", by: bob, to: store)
        try store.advance(by: .seconds(10))
        try send("8", by: ada, to: store)
    }

    private func send(_ text: String, by author: Actor, to store: TestStore<ChatRoom, ChatAction>) throws {
        let now = store.clock.now()
        try store.as(author).dispatch(post(text)) { $0.append(text, by: author.id, at: now) }
    }
}

private let ada = Actor.user("Ada")
private let bob = Actor.user("Bob", name: "Bobby")
