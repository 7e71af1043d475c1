import JSON
import Journal
import Observability
import RemoteServices
import Sessions
import StoreHosting
import StorehouseServer
import Stores
import StoresTesting
import Testing

/// `sessions.maxStateBytes`: no action makes the state of a session larger.
@Suite struct StateLimitTests {
    private static let limit = 16_534

    private func run(journal: (any Journal)? = nil, _ body: (TestAPI) async throws -> Void) async throws {
        let configuration = Configuration.with { $0.sessions.maxStateBytes = Self.limit }
        // The clock stands still, so that the line of each minute comes once.
        try await TestAPI.run(
            kinds: [.notes], clock: ManualClock(WallClock().now()).clock, configuration: configuration,
            journal: journal, body)
    }

    private func size(_ session: LiveSession) async throws -> Int {
        let body = try await session.read("/state").text
        // {"revision":1,"state":…}
        return (body.split(separator: ":", maxSplits: 2).last?.utf8.count ?? 0) - 1
    }

    private func add(_ session: LiveSession, _ bytes: Int = 500, _ fields: [(String, String)] = []) async throws
        -> TestResponse
    {
        try await session.dispatch(
            "notes/add", ["text": .string(String(repeating: "x", count: bytes))], fields: fields)
    }

    /// Adds notes until one is refused.
    private func fill(_ session: LiveSession) async throws -> TestResponse {
        for _ in 0..<100 {
            let response = try await add(session, 500, [("Prefer", "return=minimal")])
            if response.status != 204 { return response }
        }
        throw Wire.Failure.malformed("nothing was refused")
    }

    @Test func theStateGrowsUpToTheLimit() async throws {
        try await run { api in
            let session = try await api.session("notes")
            let refused = try await fill(session)
            #expect(refused.status == 409 && refused.code == "action-rejected")
            #expect(refused[json: "reason"] == "state-too-large")
            let full = try await size(session)
            #expect(full <= Self.limit && full > Self.limit - 600)
            let revision = try await session.revision()
            // An action that fits is still committed, and nothing of what was refused.
            #expect(try await add(session, Self.limit - full + 1).code == "action-rejected")
            #expect(try await add(session, 1).status == 200)
            #expect(try await session.revision() == (revision ?? 0) + 1)
            // A removal makes room.
            #expect(try await session.dispatch("notes/remove", ["id": 1]).status == 200)
            #expect(try await add(session, 400).status == 200)
            #expect(try await size(session) <= Self.limit)
        }
    }

    /// Sizes of removed entities are not known, so many changes of one entity move the bound away from the size.
    @Test func changesThatDoNotGrowAreAlwaysCommitted() async throws {
        try await run { api in
            let session = try await api.session("notes")
            for _ in 1...20 { _ = try await add(session) }
            for number in 1...100 {
                let text = String(repeating: "\(number % 10)", count: 500)
                let response = try await session.dispatch("notes/edit", ["id": 3, "text": .string(text)])
                #expect(response.status == 200)
            }
            for id in 1...20 {
                #expect(try await session.dispatch("notes/remove", ["id": .integer(id)]).status == 200)
            }
            for _ in 1...20 { #expect(try await add(session).status == 200) }
        }
    }

    /// Also if the state is far below the limit before the action, and the body is short.
    @Test(arguments: [(notes: 0, index: 5), (notes: 17, index: 2)])
    func aBatchAndALargeActionAreRefusedAsAWhole(notes: Int, index: Int) async throws {
        try await run { api in
            let session = try await api.session("notes")
            for _ in 0..<notes { #expect(try await add(session).status == 200) }
            #expect(try await add(session, Self.limit)[json: "reason"] == "state-too-large")
            let text = JSONValue.string(String(repeating: "x", count: 3000))
            let batch = JSONValue.array(
                Array(repeating: ["type": "notes/add", "payload": ["text": text]], count: 6))
            let refused = try await session.post(batch)
            #expect(refused[json: "reason"] == "state-too-large")
            #expect(refused[json: "index"] == .integer(index))
            #expect(try await session.revision() == notes)
        }
    }

    @Test func aDryRunIsRefusedToo() async throws {
        try await run { api in
            let session = try await api.session("notes")
            _ = try await fill(session)
            let text = JSONValue.string(String(repeating: "x", count: 500))
            let response = try await session.dispatch("notes/add", ["text": text], query: "?dryRun=true")
            #expect(response[json: "reason"] == "state-too-large")
        }
    }

    /// Beyond the reserve an action of a middleware or an effect is rejected too, and one line a minute names it.
    @Test func anActionOfAMiddlewareIsRejectedBeyondTheReserve() async throws {
        try await run { api in
            let session = try await api.session("notes")
            _ = try await fill(session)
            let before = try await size(session)
            for _ in 1...3 {
                let text = JSONValue.string(String(repeating: "x", count: 70))
                #expect(try await session.dispatch("notes/echo", ["text": text]).status == 200)
            }
            #expect(try await size(session) <= before + 20)
            let name = Fingerprint.of(String(session.path.dropFirst("/sessions/".count)))
            let line = "state too large store=notes session=\(name) origin=middleware type=notes/add"
            try await api.log.line(with: line)
            #expect(api.log.text.ranges(of: "state too large store=").count == 1)
        }
    }

    @Test func anActionOfAMiddlewareHasAReserve() async throws {
        try await run { api in
            let session = try await api.session("notes")
            _ = try await fill(session)
            let before = try await size(session)
            #expect(try await session.dispatch("notes/echo", ["text": "x"]).status == 200)
            #expect(try await size(session) > before + 1000)
            // The client has none.
            #expect(try await add(session, 1)[json: "reason"] == "state-too-large")
            #expect(!api.log.text.contains("state too large"))
        }
    }

    /// A client that fills its state must not make the result of an effect be lost: the state would stay loading for ever.
    @Test(arguments: ["app", "login"]) func aFullStateDoesNotStayLoading(_ kind: String) async throws {
        func login(_ api: any TestServing) async throws -> LiveSession {
            let session = try await api.session(kind)
            for (name, value) in [("username", "some username"), ("password", "some password")] {
                let entered = try await session.dispatch("login/enteringCredential", [name: .string(value)])
                #expect(entered.status == 200)
            }
            return session
        }
        let full = try await TestAPI.run { try await size(login($0)) }
        // While one credential is missing the state is six bytes larger.
        let configuration = Configuration.with { $0.sessions.maxStateBytes = full + 10 }
        let auth = ScriptedRemoteClient(always: .failure(RemoteFailure(.unreachable, "nobody is there")))
        try await TestAPI.run(auth: auth, configuration: configuration) { api in
            let session = try await login(api)
            let response = try await session.dispatch("login/authenticate", fields: [("Prefer", "wait=3600")])
            #expect(response.status == 200 && response[json: "settled"] != .bool(false))
            #expect(try await session.state("/login/status") == "failure")
            #expect(try await session.state("/login/isLoading") == .bool(false))
        }
    }

    /// The limit holds for a session that was loaded, and one that is too large already can only shrink.
    @Test func aSessionThatIsTooLargeCanShrink() async throws {
        let durable = try DurableServer()
        let path = try await TestAPI.run(
            kinds: [.notes], journal: try await durable.open()
        ) { api in
            let session = try await api.session("notes")
            for _ in 1...100 { _ = try await add(session) }
            return session.path
        }
        let journal = try await durable.open()
        try await run(journal: journal) { (api: TestAPI) async throws in
            let session = LiveSession(server: api, path: path)
            #expect(try await add(session, 1)[json: "reason"] == "state-too-large")
            for id in 1...70 {
                #expect(try await session.dispatch("notes/remove", ["id": .integer(id)]).status == 200)
            }
            #expect(try await add(session, 1).status == 200)
        }
    }
}

private struct Note: Sendable, Identifiable, JSONEncodable, Restorable, Hashable {
    let id: Int
    var text: String

    init(id: Int, text: String) { (self.id, self.text) = (id, text) }

    init(restoring persisted: JSONValue.Persisted) throws(RestorationError) {
        id = try persisted.member("id")
        text = try persisted.member("text")
    }

    func encode(into json: inout JSONWriter) {
        json.object { json in
            json.member("id", id)
            json.member("text", text)
        }
    }
}

private struct NotesState: HostedState, ObjectState, Restorable {
    var notes = EntityTable<Note>()
    var nextID = 1

    init() {}

    init(restoring persisted: JSONValue.Persisted) throws(RestorationError) {
        notes = try persisted.table()
        nextID = try persisted.member("nextID")
    }

    func visitMembers(_ members: inout some MemberVisitor & ~Copyable) {
        members.members(of: notes)
        members.member("nextID", nextID)
    }
}

private enum NotesAction: DeclaredAction {
    case add(String)
    case edit(Int, String)
    case remove(Int)
    case echo(String)

    static let catalogue = ActionSchema<NotesAction>([
        ActionDeclaration(
            "notes/add", "Adds a note.", fields: text, embed: { .add($0) },
            extract: { if case .add(let text) = $0 { text } else { nil } }),
        ActionDeclaration(
            "notes/edit", "Changes a note.", fields: id, text, embed: { .edit($0, $1) },
            extract: { if case .edit(let id, let text) = $0 { (id, text) } else { nil } }),
        ActionDeclaration(
            "notes/remove", "Removes a note.", fields: id, embed: { .remove($0) },
            extract: { if case .remove(let id) = $0 { id } else { nil } }),
        ActionDeclaration(
            "notes/echo", "A middleware adds the text a thousand times.", fields: text, embed: { .echo($0) },
            extract: { if case .echo(let text) = $0 { text } else { nil } }),
    ])

    private static var id: Field<Int> { .integer("id", example: 1) }

    private static var text: Field<String> { .text("text", 0...100_000, example: "a") }
}

private struct NotesReducer: Reducer {
    func decide(_ action: NotesAction, in state: NotesState) -> Decision { .accept }

    func reduce(_ state: inout NotesState, _ action: NotesAction) {
        switch action {
        case .add(let text):
            state.notes.insert(Note(id: state.nextID, text: text))
            state.nextID += 1
        case .edit(let id, let text): state.notes.update(id) { $0.text = text }
        case .remove(let id): state.notes.remove(id)
        case .echo: state.nextID += 1
        }
    }
}

extension StoreKind {
    fileprivate static let notes = StoreKind.store(
        "notes", reducer: NotesReducer(),
        middleware: [
            MiddlewareFunction { commit in
                guard case .echo(let text) = commit.action else { return .none }
                return .dispatch(.add(String(repeating: text, count: 1000)))
            }
        ])
}
