import JSON
import Locks
import StoreHosting
import Stores
import StoresTesting
import Testing

private struct Poll: Sendable, Equatable {
    var votes: [ActorID: String] = [:]
    var notes: [Note] = []
    var closedAt: Int?
    var box = Box()
}

private struct Note: Sendable, Equatable, Codable {
    var id: String
    var text: String
    var by: Actor
    var at: Int
}

private struct Box: Sendable, Equatable {
    var owner: ActorID?
}

private let vote = Action<Poll, (Filled<ActorID>, String)>(
    "vote", "Votes once.", .user("by"), .choice("option", ["tea", "coffee"], example: "tea"),
    rules: .reject("voted-already") { poll, user, _ in poll.votes[user] != nil }
) { poll, user, option in poll.votes[user] = option }

private let withdraw = Action<Poll, Filled<ActorID>>("withdraw", "Takes a vote back.", .user("by")) { poll, user in
    poll.votes[user] = nil
}

private let note = Action<Poll, (Filled<Actor>, Filled<Int>, Filled<String>, String)>(
    "note", "Adds a note.", .actor("by"), .now("at"), .id("id"), .text("text", 1...80, example: "Hello")
) { poll, actor, time, id, text in
    poll.notes.append(Note(id: id, text: text, by: actor, at: time))
}

/// An action whose filled field stands behind another.
private let close = Action<Poll, (Bool, Filled<Int>)>(
    "close", "Closes the poll.", .boolean("isFinal", example: true), .now("at")
) { poll, _, time in poll.closedAt = time }

private let poll = StoreDefinition("poll", "A poll.", Poll()) {
    Member("votes", \.votes)
    Member("notes", \.notes)
    Member("closedAt", \.closedAt)
    vote
    withdraw
    note
    close
    Part("box", \.box) {
        Member("owner", \.owner)
        Action("take", "Takes the box.", .user("by")) { box, user in box.owner = user }
    }
}

private let ada = Actor.user("ada", name: "Ada", roles: ["chair"])

@Suite("A field that the server fills")
struct FilledFieldTests {
    private let store = poll.kind.makeStore()

    /// The result of an action in the name of an actor.
    private func dispatch(
        _ type: String, _ payload: JSONObject, by actor: Actor?, isDryRun: Bool = false
    ) -> DispatchResult? {
        nonisolated(unsafe) var result: DispatchResult?
        let body: JSONValue = ["type": .string(type), "payload": .object(payload)]
        store.dispatch(body, DispatchOptions(selection: .root, isDryRun: isDryRun, actor: actor)) { result = $0 }
        return result
    }

    private func value(_ pointer: String...) -> JSONValue? {
        try? JSONValue(parsing: store.read(.pointer(JSONPointer(tokens: pointer))).json)
    }

    @Test("has the id of the sender, in rules and in the change")
    func user() {
        #expect(dispatch("poll/vote", ["option": "tea"], by: ada)?.word == "committed")
        #expect(dispatch("poll/vote", ["option": "coffee"], by: ada)?.word == "voted-already")
        #expect(dispatch("poll/vote", ["option": "coffee"], by: .user("bob"))?.word == "committed")
        #expect(value("votes") == ["ada": "tea", "bob": "coffee"])
    }

    @Test("tells two spellings of one name in Unicode apart")
    func unicode() {
        let (composed, decomposed) = (ActorID("caf\u{e9}"), ActorID("cafe\u{301}"))
        #expect(dispatch("poll/vote", ["option": "tea"], by: .user(composed))?.word == "committed")
        #expect(dispatch("poll/vote", ["option": "coffee"], by: .user(decomposed))?.word == "committed")
        #expect(value("votes")?.asObject?.count == 2)
    }

    @Test("has the actor, the time and an id of 22 characters")
    func note() throws {
        #expect(dispatch("poll/note", ["text": "Hello"], by: ada)?.word == "committed")
        let found = try #require(value("notes", "0"))
        #expect(found["by"] == ["kind": "user", "id": "ada", "name": "Ada", "roles": ["chair"]])
        #expect(try #require(found["at"]?.asInteger) > 1_700_000_000_000)
        let id = try #require(found["id"]?.asString)
        #expect(id.utf8.count == 22)
        #expect(id.wholeMatch(of: /[A-Za-z0-9_-]+/) != nil)
        #expect(dispatch("poll/note", ["text": "Hello"], by: nil)?.word == "committed")
        #expect(value("notes", "1", "by") == ["kind": "anonymous", "roles": []])
        #expect(value("notes", "1", "id")?.asString != id)
    }

    @Test("takes an id that a client has made, and no other text")
    func ownID() {
        let id = "0123456789-abcdefghi_J"
        #expect(dispatch("poll/note", ["text": "Hello", "id": .string(id)], by: ada)?.word == "committed")
        #expect(value("notes", "0", "id") == .string(id))
        for wrong in ["", "0123456789-abcdefghi_", String(repeating: "a", count: 65), "0123456789 abcdefghi_J"] {
            let result = dispatch("poll/note", ["text": "Hello", "id": .string(wrong)], by: ada)
            #expect(invalidPlaces(result) == ["/payload/id"], "\(wrong)")
        }
    }

    @Test("is refused if a client sends it", arguments: ["by", "at"])
    func sent(name: String) {
        let values: [JSONValue] = ["bob", 1, .null, ["kind": "user", "id": "bob", "roles": []]]
        for value in values {
            let result = dispatch("poll/note", ["text": "Hello", name: value], by: ada)
            #expect(invalidPlaces(result) == ["/payload/" + name])
        }
        #expect(value("notes") == [])
    }

    @Test("is refused without an identity, before anything else is looked at", arguments: ["poll/vote", "box/take"])
    func identity(type: String) {
        for actor in [nil, Actor.anonymous] {
            let result = dispatch(type, type == "box/take" ? [:] : ["option": "tea"], by: actor)
            guard case .refused(.identityRequired(type), nil)? = result?.outcome else {
                Issue.record("\(result as Any)")
                continue
            }
        }
    }

    @Test("has one time in all actions of a batch, and the same in a dry run's patch")
    func batch() {
        let action: JSONValue = ["type": "poll/note", "payload": ["text": "Hello"]]
        nonisolated(unsafe) var result: DispatchResult?
        store.dispatch(.array(Array(repeating: action, count: 100)), DispatchOptions(selection: .root, actor: ada)) {
            result = $0
        }
        #expect(result?.word == "committed")
        let times = value("notes")?.asArray?.compactMap { $0["at"] } ?? []
        #expect(times.count == 100)
        #expect(Set(times.map(\.description)).count == 1)
        #expect(dispatch("poll/vote", ["option": "tea"], by: ada, isDryRun: true)?.patch != nil)
        #expect(value("votes") == [:])
    }

    @Test("stands neither in the schema nor in the example")
    func published() {
        let action = poll.kind.actions[2]
        #expect(action.example == ["type": "poll/note", "payload": ["text": "Hello"]])
        var schema = JSONWriter()
        action.payload.encode(into: &schema)
        let properties = (try? JSONValue(parsing: schema.finish()))?["properties"]?.asObject
        #expect(properties.map { Array($0.names).sorted() } == ["id", "text"])
        #expect(poll.kind.problems == [])
        var listed = JSONWriter()
        action.encode(into: &listed)
        let filled = (try? JSONValue(parsing: listed.finish()))?["filled"]
        #expect(filled == ["by": "actor", "at": "now", "id": "id"])
    }

    @Test("is filled in each store that is made of the definition")
    func inProgram() throws {
        let store = TestStore(Poll(), reducer: poll.reducer, clock: TestClock(now: 5000))
        try store.as(ada).dispatch(vote("tea")) { $0.votes["ada"] = "tea" }
        try store.as(ada).expectRejected(vote("coffee"), "voted-already")
        try store.expectRejected(vote("tea"), "identity-required")
        try store.dispatch(close(true, .byServer)) { $0.closedAt = 5000 }
        try store.as(ada).dispatch(withdraw()) { $0.votes = [:] }
        try store.as(.guest("guest:7")).dispatch(vote("tea")) { $0.votes["guest:7"] = "tea" }
        let plain = Store(Poll(), reducer: poll.reducer)
        plain.as(ada).dispatch(StoreHostingTests.note("Hello"))
        #expect(plain.state.notes.map(\.by) == [ada])
        #expect(
            plain.as(ada).dispatch(batch: [vote("tea"), vote("tea")]).outcome == .rejected("voted-already", index: 1))
    }

    @Test("of the user is a fault of the program if the store itself sends the action")
    func system() {
        let faults = Locked<[StoreFault]>([])
        let environment = StoreEnvironment { fault in faults.withLock { $0.append(fault) } }
        let answer = MiddlewareFunction<Poll, StoreAction<Poll>> { commit in
            commit.action == close(true, .byServer) ? .dispatch(vote("tea")) : .none
        }
        let store = Store(Poll(), reducer: poll.reducer, middleware: [answer], environment: environment)
        store.as(ada).dispatch(close(true, .byServer))
        #expect(store.state.votes == [:])
        #expect(faults.withLock { $0 } == [.sentWithoutUser("vote")])
    }

    @Test("is filled in an action that an interceptor makes")
    func intercepted() {
        struct Replacement: Interceptor {
            func intercept(_ action: StoreAction<Poll>, in state: Poll) -> Interception<StoreAction<Poll>> {
                guard let (user, option) = vote.values(in: action), option == "tea" else { return .pass }
                #expect(user.text == "ada")
                return .replace(vote("coffee"))
            }

            func respond(to commit: borrowing Commit<Poll, StoreAction<Poll>>) -> Effect<StoreAction<Poll>> { .none }
        }
        let definition = StoreDefinition("poll", "A poll.", Poll()) {
            Member("votes", \.votes)
            vote
            Replacement()
        }
        let store = Store(Poll(), reducer: definition.reducer, middleware: definition.middleware())
        store.as(ada).dispatch(vote("tea"))
        #expect(store.state.votes == ["ada": "coffee"])
        let hosted = definition.kind.makeStore()
        hosted.dispatch(
            ["type": "poll/vote", "payload": ["option": "tea"]], DispatchOptions(selection: .root, actor: ada)
        ) { _ in }
        #expect(hosted.json == #"{"votes":{"ada":"coffee"}}"#)
    }

    @Test("is filled in an asynchronous store too")
    func asynchronous() async {
        func open(_ reducer: some Reducer<Poll, StoreAction<Poll>>) -> AsyncStore<Poll, StoreAction<Poll>> {
            AsyncStore(Poll(), reducer: Asynchronous(reducer), middleware: poll.middleware())
        }
        let store = open(poll.reducer)
        let receipt = await store.as(ada).dispatch(vote("tea"))
        #expect(receipt.outcome == .committed)
        #expect(store.state.votes == ["ada": "tea"])
    }

    private func invalidPlaces(_ result: DispatchResult?) -> [String]? {
        guard case .refused(.invalidPayload(let violations), nil)? = result?.outcome else { return nil }
        return violations.map { $0.pointer.description }
    }
}
