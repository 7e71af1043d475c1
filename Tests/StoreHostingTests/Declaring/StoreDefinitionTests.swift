import JSON
import RemoteServices
import StoreHosting
import Stores
import StoresTesting
import Testing

private struct Hall: Sendable, Equatable {
    var guests: [String] = []
    var nextNumber = 1
    var door = ""
    var cart = Cart()
    var tasks = EntityTable<Task>()
}

private struct Cart: Sendable, Equatable {
    var items: [String] = []
    var secretNote = "none"
}

private struct Task: Sendable, Equatable, Identifiable, JSONEncodable, Restorable {
    let id: Int
    var title: String

    init(id: Int, title: String) {
        self.id = id
        self.title = title
    }

    func encode(into json: inout JSONWriter) {
        json.object {
            $0.member("id", id)
            $0.member("title", title)
        }
    }

    init(restoring persisted: JSONValue.Persisted) throws(RestorationError) {
        id = try persisted.member("id")
        title = try persisted.member("title")
    }
}

private let book = Action<Hall, String>(
    "book", "Books a seat.", .text("guest", 1...80, example: "Ada"),
    rules: .reject("sold-out") { hall, _ in hall.guests.count >= 3 },
    .ignore { hall, guest in hall.guests.contains(guest) }
) { hall, guest in
    hall.guests.append(guest)
    hall.nextNumber += 1
}

private let seats = StoreDefinition("seats", "A small hall.", Hall()) {
    Member("guests", \.guests)
    Member("nextNumber", \.nextNumber, .hidden)
    Member("door", \.door, .secret)
    Member("tasks", \.tasks)
    book
    Action("clear", "Frees all seats.") { hall in hall.guests = [] }
    Action("lock", "Locks the door.", .text("code", 4...8, example: "1234").secret()) { $0.door = $1 }
    Action("addTask", "Adds a task.", .integer("id", 1...100), .text("title", 1...20, example: "Sweep")) {
        hall, id, title in
        hall.tasks.insert(Task(id: id, title: title))
    }
    Part("cart", \.cart) {
        Member("items", \.items)
        Member("note", \.secretNote, .hidden)
        Action("add", "Adds an item.", .text("item", 1...80, example: "Tea")) { cart, item in cart.items.append(item) }
    }
    Selector("count", "The number of guests.") { $0.guests.count }
    Timers("closing") { (hall: Hall) in
        hall.guests.count == 3 ? [StateTimer("close", at: 1000, book("timer"))] : []
    }
}

@Suite struct StoreDefinitionTests {
    private func dispatch(_ store: HostedStore, _ body: JSONValue) -> DispatchResult? {
        nonisolated(unsafe) var found: DispatchResult?
        store.dispatch(body, DispatchOptions()) { found = $0 }
        return found
    }

    private func text(_ store: HostedStore, _ selection: Selection = .root) -> String {
        String(decoding: store.read(selection).json, as: UTF8.self)
    }

    @Test func actionsHaveTypesOfTheKind() {
        #expect(
            seats.kind.actions.map(\.type) == ["seats/book", "seats/clear", "seats/lock", "seats/addTask", "cart/add"])
        #expect(seats.kind.problems == [])
        let areSecret = seats.kind.actions.map { action in
            var schema = JSONWriter()
            action.payload.encode(into: &schema)
            return String(decoding: schema.finish(), as: UTF8.self).contains(#""writeOnly":true"#)
        }
        #expect(areSecret == [false, false, true, false, false])
        #expect(seats.kind.actions[0].example == ["type": "seats/book", "payload": ["guest": "Ada"]])
        #expect(seats.kind.actions[1].example == ["type": "seats/clear"])
        #expect(seats.kind.actions[4].example == ["type": "cart/add", "payload": ["item": "Tea"]])
        #expect(seats.kind.actions[2].secrets == ["code"])
    }

    @Test func everyExampleIsCommitted() {
        for action in seats.kind.actions {
            let store = seats.kind.makeStore()
            #expect(dispatch(store, action.example)?.isCommitted == true, "\(action.type)")
        }
    }

    @Test func aStoreReducesAndShowsItsMembers() {
        let store = seats.kind.makeStore()
        #expect(
            text(store) == #"{"guests":[],"tasks":{"entities":{},"ids":[]},"cart":{"items":[]}}"#)
        for guest in ["Ada", "Bob"] {
            #expect(dispatch(store, ["type": "seats/book", "payload": ["guest": .string(guest)]])?.isCommitted == true)
        }
        #expect(dispatch(store, ["type": "cart/add", "payload": ["item": "Tea"]])?.isCommitted == true)
        #expect(text(store, .pointer(JSONPointer(tokens: ["cart", "items", "0"]))) == #""Tea""#)
        #expect(text(store, .named("count")) == "2")
        guard case .ignored? = dispatch(store, ["type": "seats/book", "payload": ["guest": "Ada"]])?.outcome else {
            Issue.record("a second booking is not ignored")
            return
        }
    }

    @Test func aRuleRejects() {
        let store = seats.kind.makeStore()
        for guest in ["a", "b", "c"] {
            _ = dispatch(store, ["type": "seats/book", "payload": ["guest": .string(guest)]])
        }
        guard
            case .rejected(let rejection, _)? = dispatch(store, ["type": "seats/book", "payload": ["guest": "d"]])?
                .outcome
        else {
            Issue.record("the hall is not sold out")
            return
        }
        #expect(rejection == "sold-out")
    }

    @Test func aStateIsRestored() throws {
        let store = seats.kind.makeStore()
        for action in seats.kind.actions where action.type != "seats/clear" { _ = dispatch(store, action.example) }
        let (revision, snapshot) = store.snapshot()
        let restored = try seats.kind.makeStore(from: snapshot, revision: revision)
        restored.resume()
        #expect(restored.revision == revision)
        #expect(text(restored) == text(store))
        // The private members continue too, except for the secret, because there is no key.
        #expect(
            snapshot.privateState.map { String(decoding: $0, as: UTF8.self) }
                == #"{"nextNumber":2,"cart":{"note":"none"}}"#)
    }

    @Test func aMissingMemberHasItsInitialValueAndMakesARevision() throws {
        let old = StateSnapshot(
            json: Array(#"{"guests":["Ada"],"cart":{"items":[]}}"#.utf8),
            privateState: Array(#"{"nextNumber":2,"cart":{"note":""}}"#.utf8))
        let store = try seats.kind.makeStore(from: old, revision: 5)
        store.resume()
        #expect(store.revision == 6)
        #expect(text(store).contains(#""tasks":{"entities":{},"ids":[]}"#))
    }

    @Test func theExampleOfAListIsLongEnough() {
        let poll = StoreDefinition("poll", "A poll.", Hall()) {
            Member("guests", \.guests)
            Action("open", "Opens.", .list(of: .text("options", 1...9, example: "Tea"), 2...3)) { $0.guests = $1 }
        }
        #expect(poll.kind.problems == [])
        #expect(poll.kind.actions[0].example == ["type": "poll/open", "payload": ["options": ["Tea", "Tea"]]])
    }

    @Test func nullIsAValueOfAnOptionalMember() throws {
        struct Note: Sendable {
            var text: String?
            var secretText: String?
            var count = 1
        }
        let note = StoreDefinition("note", "A note.", Note()) {
            Member("text", \.text)
            Member("secretText", \.secretText, .hidden)
            Member("count", \.count)
        }
        let store = try note.kind.makeStore(from: note.kind.initialSnapshot, revision: 4)
        store.resume()
        #expect(store.revision == 4)
    }

    @Test func testsDispatchActionsAsFunctions() throws {
        let store = TestStore(Hall(), reducer: seats.reducer, middleware: seats.middleware())
        try store.dispatch(book("Ada")) {
            $0.guests = ["Ada"]
            $0.nextNumber = 2
        }
        #expect(book.values(in: book("Eve")) == "Eve")
        #expect(book("Eve") != book("Ada"))
    }

    /// A timer can send what nobody has declared; without a type it cannot be in the action log.
    @Test func anActionThatTheDefinitionDoesNotContainIsRejectedAsAFault() async throws {
        let forgotten = Action<Hall, Void>("forgotten", "Frees all seats.") { $0.guests = [] }
        let hall = StoreDefinition("hall", "A hall.", Hall()) {
            Member("guests", \.guests)
            book
            Timers("closing") { (hall: Hall) in hall.guests.isEmpty ? [] : [StateTimer("close", at: 1000, forgotten())]
            }
        }
        let fault = StoreFault.undeclaredAction("forgotten")
        let store = TestStore(Hall(), reducer: hall.reducer, middleware: hall.middleware())
        #expect(throws: TestStoreFailure.faults([fault])) { try store.dispatch(forgotten()) }
        try store.dispatch(book("Ada")) {
            $0.guests = ["Ada"]
            $0.nextNumber = 2
        }
        #expect(throws: TestStoreFailure.faults([fault])) { try store.advance(to: 1000) }

        let clock = TestClock()
        let (faults, report) = AsyncStream.makeStream(of: StoreFault.self)
        let hosted = hall.kind.makeStore(environment: StoreEnvironment(clock: clock, report: { report.yield($0) }))
        _ = dispatch(hosted, ["type": "hall/book", "payload": ["guest": "Ada"]])
        clock.advance(to: 1000)
        var found = faults.makeAsyncIterator()
        #expect(await found.next() == fault)
        #expect(hosted.revision == 1)
    }

    @Test func aSelectorHasAnyCodableValue() {
        struct Lead: Codable, Sendable {
            var guest: String
            var isAlone: Bool?
        }
        let hall = StoreDefinition("hall", "A hall.", Hall()) {
            Member("guests", \.guests)
            book
            Selector("lead", "The first guest.") { $0.guests.first.map { Lead(guest: $0) } }
        }
        let store = hall.kind.makeStore()
        #expect(text(store, .named("lead")) == "null")
        _ = dispatch(store, ["type": "hall/book", "payload": ["guest": "Ada"]])
        #expect(text(store, .named("lead")) == #"{"guest":"Ada"}"#)
    }

    @Test func mistakesAreProblems() {
        let wrong = StoreDefinition("wrong name", "Wrong.", Hall()) {
            Member("guests", \.guests)
            Member("guests", \.guests)
            Member("a/b", \.door)
            Action("go", "Goes.", .text("to", 1...3, example: nil)) { _, _ in }
            Action("go", "Goes.", .text("to", 1...3, example: "too long")) { _, _ in }
            Action("ask", "Asks.", .choice("what", ["this", "that"], example: "all")) { _, _ in }
            Action("say yes", "Agrees.") { _ in }
            Fetch("ask-him", on: Action("ask-him", "Asks.") { _ in }, from: "him", at: "name", as: String.self) { _ in
                .get()
            } then: { _, _, _ in
            }
            Action("meet", "Meets.", .text("guest", 1...9, example: "Ada"), .text("guest", 1...9, example: "Eve")) {
                $0.guests = [$1, $2]
            }
            Selector("count", "How many.") { $0.guests.count }
            Selector("count", "The same.") { $0.guests.count }
            Selector("/guests", "It would hide a pointer.") { $0.guests.count }
            Timers("close") { _ in [] }
            Timers("close") { _ in [] }
        }
        #expect(
            wrong.kind.problems == [
                #"The action "go": The field "to" needs an example."#,
                #"The action "go": The example at /to must have 1 to 3 characters."#,
                #"The action "ask": The example at /what must be one of this, that."#,
                #"The name of the action "say yes" must have only letters, digits and '-'."#,
                #"The pointer "name" of the fetch "ask-him" must be empty or begin with '/'."#,
                #"The action "meet": Two fields have the name "guest"."#,
                #"The name "wrong name" must have only letters, digits and '-'."#,
                #"The fetch "ask-him" follows the action "ask-him", which the definition does not contain."#,
                #"Two members have the name "guests"."#,
                #"The name of the member "a/b" must have only letters, digits, '-' and '_'."#,
                #"The action type "wrong name/go" is declared twice."#,
                #"Two selectors have the name "count"."#,
                #"The name of the selector "/guests" must have only letters, digits, '-' and '_'."#,
                #"Two groups of timers have the name "close", so each would disarm the timers of the other."#,
            ])
    }
}
