import JSON
import Locks
import StoreHosting
import Stores
import Testing

private struct Room: Sendable, Equatable {
    var members: [ActorID] = []
    var isOpen = false
    var notes: [String] = []
}

private let invite = Action<Room, String>("invite", "Lets a user in.", .text("user", 1...80, example: "ada")) {
    $0.members.append(ActorID($1))
}

private let elements = StoreElements<Room> {
    Member("members", \.members)
    Member("isOpen", \.isOpen)
    Member("notes", \.notes)
    invite
    Action("leave", "The sender leaves.", .user("by")) { room, user in room.members.removeAll { $0 == user } }
    Action(
        "note", "Adds a note.", .text("text", 1...80, example: "Hello"),
        rules: .reject("full") { room, _ in room.notes.count == 2 }
    ) { room, text in room.notes.append(text) }
    Access { room, actor in
        if room.members.contains(actor.id) { return [.read, .act] }
        return room.isOpen ? .read : []
    }
}

private let room = StoreDefinition("room", "A room with members.", Room()) { elements }

/// The element `Access` of a definition, and what a store does with it.
@Suite struct AccessTests {
    private static let note: JSONValue = ["type": "room/note", "payload": ["text": "Hello"]]
    private static let leave: JSONValue = ["type": "room/leave"]

    @Test func aTestAsksTheDefinition() {
        var state = Room(members: ["ada"])
        #expect(room.rights(of: .user("ada"), in: state) == [.read, .act])
        #expect(room.rights(of: .user("Ada"), in: state) == [])
        #expect(room.rights(of: .anonymous, in: state) == [])
        state.isOpen = true
        #expect(room.rights(of: .user("bob"), in: state) == .read)
        #expect(room.kind.problems.isEmpty)
    }

    @Test func aDefinitionWithoutItGivesNoRights() {
        let plain = StoreDefinition("plain", "Nothing.", Room()) { Member("notes", \.notes) }
        #expect(plain.rights(of: .user("ada"), in: Room(members: ["ada"])) == [])
    }

    @Test func aSecondOneIsAProblem() {
        let two = StoreDefinition("two", "Two.", Room()) {
            Member("notes", \.notes)
            Access { _, _ in [] }
            Access { _, _ in .read }
        }
        #expect(two.kind.problems == ["The definition has 2 elements Access, but who has access is one question."])
    }

    @Test func onlyTheWholeDefinitionHasIt() {
        struct House: Sendable { var room = Room() }
        let house = StoreDefinition("house", "A house.", House()) {
            Part("room", \.room) {
                Member("notes", \.notes)
                Access { _, _ in .read }
            }
        }
        #expect(house.kind.problems == ["A Part contains an Access, which belongs to the whole definition."])
        #expect(house.rights(of: .user("ada"), in: House()) == [])
    }

    @Test func elementsThatSeveralDefinitionsShareCanHaveIt() {
        let shared = StoreElements<Room> {
            Member("notes", \.notes)
            Access { _, _ in .read }
        }
        let definition = StoreDefinition("shared", "Shared.", Room()) { shared }
        #expect(definition.kind.problems.isEmpty)
        #expect(definition.rights(of: .user("ada"), in: Room()) == .read)
    }

    /// A store with one member, Ada.
    private static func store(isAsynchronous: Bool = false) async -> HostedStore {
        let definition = StoreDefinition("room", "A room.", Room(), isAsynchronous: isAsynchronous) { elements }
        let store = definition.kind.makeStore()
        _ = await dispatch(["type": "room/invite", "payload": ["user": "ada"]], to: store, by: nil)
        return store
    }

    /// - Parameter visitor: the sender, if the state decides what it may do; nil for the owner.
    private static func dispatch(
        _ body: JSONValue, to store: HostedStore, by visitor: Actor?, expecting revision: Int? = nil,
        isDryRun: Bool = false
    ) async -> DispatchResult {
        let options = DispatchOptions(
            expectedRevisions: revision.map { [$0] }, selection: .root, isDryRun: isDryRun,
            actor: visitor ?? .user("owner"), isOfVisitor: visitor != nil)
        return await Promise.value { done in store.dispatch(body, options) { done($0) } }
    }

    private static func outcome(_ result: DispatchResult) -> String {
        switch result.outcome {
        case .committed: result.state == nil ? "committed without a state" : "committed"
        case .ignored: "ignored"
        case .refused: "refused"
        case .rejected(let rejection, _): rejection.reason
        case .forbidden(let canRead, _): canRead ? "forbidden to a reader" : "forbidden"
        case .revisionMismatch: "mismatch"
        case .overloaded: "overloaded"
        case .ended: "ended"
        }
    }

    @Test(arguments: [false, true])
    func aStoreAsksForEachActionOfAVisitor(isAsynchronous: Bool) async {
        let store = await Self.store(isAsynchronous: isAsynchronous)
        let (ada, bob) = (Actor.user("ada"), Actor.user("bob"))
        #expect(Self.outcome(await Self.dispatch(Self.note, to: store, by: ada)) == "committed")
        #expect(Self.outcome(await Self.dispatch(Self.note, to: store, by: bob)) == "forbidden")
        #expect(Self.outcome(await Self.dispatch(Self.note, to: store, by: bob, isDryRun: true)) == "forbidden")
        #expect(Self.outcome(await Self.dispatch([Self.note, Self.note], to: store, by: bob)) == "forbidden")
        // A visitor without the right learns neither the revision nor the reason of the reducer.
        #expect(Self.outcome(await Self.dispatch(Self.note, to: store, by: bob, expecting: 9)) == "forbidden")
        #expect(Self.outcome(await Self.dispatch(Self.note, to: store, by: ada, expecting: 9)) == "mismatch")
        #expect(Self.outcome(await Self.dispatch(Self.note, to: store, by: ada)) == "committed")
        #expect(Self.outcome(await Self.dispatch(Self.note, to: store, by: ada)) == "full")
        #expect(Self.outcome(await Self.dispatch(Self.note, to: store, by: bob)) == "forbidden")
        // The owner is not asked for.
        #expect(Self.outcome(await Self.dispatch(Self.note, to: store, by: nil)) == "full")
        #expect(store.revision == 3)
    }

    @Test(arguments: [false, true])
    func aBatchIsAskedForActionByAction(isAsynchronous: Bool) async {
        let store = await Self.store(isAsynchronous: isAsynchronous)
        let ada = Actor.user("ada")
        let batch: JSONValue = [Self.leave, Self.note]
        #expect(Self.outcome(await Self.dispatch(batch, to: store, by: ada)) == "forbidden to a reader")
        #expect(Self.outcome(await Self.dispatch(batch, to: store, by: ada, isDryRun: true)) == "forbidden to a reader")
        #expect(store.revision == 1)
        let last = await Self.dispatch([Self.note, Self.leave], to: store, by: ada)
        #expect(Self.outcome(last) == "committed without a state" && last.revision == 3)
    }

    @Test(arguments: [false, true])
    func anActionThatTakesTheRightToReadShowsNoState(isAsynchronous: Bool) async {
        let store = await Self.store(isAsynchronous: isAsynchronous)
        let ada = Actor.user("ada")
        let trial = await Self.dispatch(Self.leave, to: store, by: ada, isDryRun: true)
        #expect(Self.outcome(trial) == "committed without a state" && trial.patch == nil)
        #expect(Self.outcome(await Self.dispatch(Self.note, to: store, by: ada)) == "committed")
        #expect(Self.outcome(await Self.dispatch(Self.leave, to: store, by: ada)) == "committed without a state")
        #expect(Self.outcome(await Self.dispatch(Self.leave, to: store, by: ada)) == "forbidden")
    }

    @Test func aKindWithoutItRefusesAVisitor() async {
        let plain = StoreDefinition("plain", "Nothing.", Room()) {
            Member("notes", \.notes)
            Action("note", "Adds a note.") { $0.notes.append("") }
        }
        let store = plain.kind.makeStore()
        let note: JSONValue = ["type": "plain/note"]
        #expect(Self.outcome(await Self.dispatch(note, to: store, by: .user("ada"))) == "forbidden")
        #expect(!plain.kind.hasAccess && room.kind.hasAccess)
        store.inspect { state in
            let rights = state.rights(of: .user("ada"))
            #expect(rights == [])
        }
    }

    @Test func aProgramIsNotAskedForItsActions() {
        let store = Store(Room(), reducer: room.reducer, middleware: room.middleware())
        #expect(store.as(.user("bob")).dispatch(invite("bob")).outcome == .committed)
    }
}
