import Foundation
import JSON
import Journal
import Observability
import RemoteServices
import StoreHosting
import StoreKinds
import StorehouseServer
import Stores
import StoresTesting
import Testing

/// Sessions that outlive the server.
@Suite struct DurableSessionTests {
    /// Turns every bit, so that a test sees what was sealed.
    private final class Turner: SecretSealer {
        func seal(_ secret: [UInt8]) -> [UInt8]? { secret.map(~) }
        func open(_ sealed: [UInt8]) -> [UInt8]? { sealed.map(~) }
    }

    @Test(arguments: ["app", "login", "planner", "betting", "animal", "login-form"])
    func aNewSessionSurvivesARestart(_ store: String) async throws {
        let durable = try DurableServer()
        let (path, document) = try await durable.runAPI { api in
            let session = try await api.session(store)
            return (session.path, try await session.read().json)
        }
        try await durable.runAPI { api in
            let session = LiveSession(server: api, path: path)
            let found = try await session.read().json
            for name in ["id", "store", "revision", "createdAt"] { #expect(found[name] == document[name]) }
            let state = try await session.read("/state")
            #expect(state.status == 200)
            #expect(state.taggedRevision == 0)
        }
    }

    @Test func stateLogAndEarlierStatesSurviveARestart() async throws {
        let durable = try DurableServer()
        let (path, states, log) = try await durable.runAPI { api in
            let session = try await api.session()
            for number in 1...70 { _ = try await session.increment(number) }
            _ = try await session.dispatch("tasks/add", ["title": "one", "due": "2026-01-01"])
            _ = try await session.dispatch("tasks/add", ["title": "two"])
            _ = try await session.dispatch("tasks/favorite", ["id": 2])
            _ = try await session.dispatch("tasks/remove", ["id": 2])
            var states: [JSONValue] = []
            for revision in [0, 1, 63, 64, 65, 70, 72, 73, 74] {
                states.append(try await session.read("/state?revision=\(revision)").json)
            }
            return (session.path, states, try await session.read("/actions?limit=1000").json)
        }
        try await durable.runAPI { api in
            let session = LiveSession(server: api, path: path)
            for state in states {
                let revision = try #require(state["revision"]?.asInteger)
                let found = try await session.read("/state?revision=\(revision)")
                #expect(found.json == state, "\(found.text)")
            }
            #expect(try await session.read("/state").json == states.last)
            #expect(try await session.read("/actions?limit=1000").json == log)
            #expect(try await session.read("/state?revision=75").code == "no-such-revision")
            let summary = try await session.read("/state?revision=73&select=summary")
            #expect(summary[json: "state"] == ["open": 2, "done": 0, "favorites": 1, "overdue": 0])
            let added = try await session.dispatch("tasks/add", ["title": "three"])
            #expect(added.revision == 75)
            #expect(added.at("/state/tasks/ids") == [1, 3])
            let fork = try await api.post(path + "/forks", json: ["revision": 64])
            #expect(fork.at("/state/counter/count") == .integer(64 * 65 / 2))
        }
    }

    @Test func runningEffectsAreInterrupted() async throws {
        let durable = try DurableServer()
        let remote = ScriptedRemoteClient()
        let path = try await durable.runAPI(animal: remote) { api in
            let session = try await api.session()
            _ = try await session.dispatch("animal/fetchAnimal")
            await remote.called(times: 1)
            return session.path
        }
        try await durable.runAPI { api in
            let session = LiveSession(server: api, path: path)
            let state = try await session.read("/state?select=/animal")
            #expect(state[json: "state"]?["isLoading"] == false)
            #expect(state[json: "state"]?["error"]?["code"] == "interrupted")
            #expect(state[json: "state"]?["currentAnimal"] == "")
            let log = try await session.read("/actions").at("/actions/1")
            #expect(log?["type"] == "animal/fetchFailed")
            #expect(log?["origin"] == "system")
        }
    }

    @Test(arguments: [false, true])
    func aPasswordSurvivesOnlyIfItIsSealed(_ isSealed: Bool) async throws {
        let durable = try DurableServer()
        let sealer: (any SecretSealer)? = isSealed ? Turner() : nil
        let auth = ScriptedRemoteClient(always: .success(.init(status: 200, body: Array(#"{"token":"t"}"#.utf8))))
        let path = try await durable.runAPI(sealer: sealer) { api in
            let session = try await api.session()
            _ = try await session.dispatch("login/enteringCredential", ["username": "some username"])
            _ = try await session.dispatch("login/enteringCredential", ["password": "some password"])
            #expect(try await session.state("/login/status") == "validCredentials")
            return session.path
        }
        try await durable.runAPI(auth: auth, sealer: sealer) { api in
            let session = LiveSession(server: api, path: path)
            #expect(
                try await session.state("/login/status") == (isSealed ? "validCredentials" : "validatingCredentials"))
            if !isSealed {
                _ = try await session.dispatch("login/enteringCredential", ["password": "some password"])
            }
            let answer = try await session.dispatch("login/authenticate", fields: [("Prefer", "wait=3600")])
            #expect(answer.at("/state/login/isAuthenticated") == true)
        }
    }

    @Test func endedSessionsAreRememberedAndUnknownOnesAreNot() async throws {
        let durable = try DurableServer()
        let path = try await durable.runAPI { api in
            let session = try await api.session()
            _ = try await session.increment()
            #expect(try await session.delete().status == 204)
            return session.path
        }
        try await durable.runAPI { (api: TestAPI) async throws in
            let session = LiveSession(server: api, path: path)
            for below in ["", "/state", "/actions"] { #expect(try await session.read(below).code == "session-ended") }
            #expect(try await session.read("/events").status == 204)
            #expect(try await session.increment().code == "session-ended")
            #expect(try await api.get("/sessions/AAAAAAAAAAAAAAAAAAAAAA").code == "no-such-session")
        }
    }

    @Test func aSessionExpiresWhileNoServerRuns() async throws {
        let durable = try DurableServer()
        let clock = ManualClock()
        let configuration = Configuration.with { $0.sessions.idleTimeout = .seconds(100) }
        let (used, path) = try await durable.runAPI(clock: clock.clock, configuration: configuration) { api in
            let (used, idle) = (try await api.session(), try await api.session())
            clock.advance(by: 60_000)
            _ = try await used.read("/state")
            return (used.path, idle.path)
        }
        clock.advance(by: 50_000)
        try await durable.runAPI(clock: clock.clock, configuration: configuration) { (api: TestAPI) async throws in
            #expect(try await api.get(path).code == "session-ended")
            #expect(try await api.get(used).status == 200)
        }
    }

    @Test func responsesAreRepeatedAfterARestart() async throws {
        let durable = try DurableServer()
        let fields = [("Idempotency-Key", "\"k\"")]
        let (path, first) = try await durable.runAPI { api in
            let session = try await api.session()
            return (session.path, try await session.dispatch("counter/increment", ["by": 5], fields: fields))
        }
        try await durable.runAPI { api in
            let session = LiveSession(server: api, path: path)
            let again = try await session.dispatch("counter/increment", ["by": 5], fields: fields)
            #expect(again["idempotency-replayed"] == "true")
            #expect(again.body == first.body)
            #expect(try await session.dispatch("counter/increment", fields: fields).code == "idempotency-mismatch")
            #expect(try await session.revision() == 1)
        }
    }

    @Test func theLastEventComesAfterAllAnsweredCommits() async throws {
        let durable = try DurableServer()
        try await durable.run { server in
            for _ in 1...5 {
                let session = try await server.session()
                let events = try await session.events()
                _ = try await events.state()
                let answered = try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 1...3 {
                        group.addTask {
                            var newest = 0
                            while let revision = try await session.increment().revision { newest = revision }
                            return newest
                        }
                    }
                    while try await session.revision() ?? 5 < 5 {}
                    #expect(try await session.delete().status == 204)
                    return try await group.reduce(0, max)
                }
                var shown = 0
                while let event = try await events.event(), event.name == "state" { shown = event.revision ?? 0 }
                #expect(shown >= answered)
            }
        }
    }

    @Test(arguments: ["", "&changes=patch"])
    func aStreamResumesAfterARestart(_ form: String) async throws {
        let durable = try DurableServer()
        let (path, id) = try await durable.runAPI { api in
            let session = try await api.session()
            for _ in 1...3 { _ = try await session.increment() }
            let events = try await session.events()
            let id = try await events.state().id
            for _ in 1...2 { _ = try await session.increment() }
            return (session.path, try #require(id))
        }
        try await durable.runAPI { api in
            let session = LiveSession(server: api, path: path)
            let events = try await session.events(query: "?lastEventId=\(id)" + form)
            if form.isEmpty {
                let state = try await events.state()
                #expect(state.revision == 5)
            } else {
                for revision in 4...5 {
                    let event = try await events.event()
                    #expect(event?.name == "patch")
                    #expect(event?.revision == revision)
                }
            }
            _ = try await session.increment()
            let event = try await events.event()
            #expect(event?.revision == 6)
        }
    }

    /// A crash may have lost commits with relaxed durability, but a server that was stopped has lost none.
    @Test(arguments: [false, true])
    func withRelaxedDurabilityOnlyACrashEndsTheHistory(_ crashes: Bool) async throws {
        let durable = try DurableServer()
        let configuration = Configuration.with { $0.admin.token = .init("a-token-of-some-length") }
        let (next, path, id, tag) = try await durable.runAPI(configuration: configuration, durability: .relaxed) {
            api in
            let session = try await api.session()
            let events = try await session.events()
            _ = try await events.state()
            let tag = try #require(try await session.increment()["etag"])
            let id = try #require(try await events.state().id)
            // The list awaits the writer.
            let list = try await api.get("/admin/sessions", [("Authorization", "Bearer a-token-of-some-length")])
            #expect(list.at("/sessions/0/revision") == 1)
            return (try crashes ? durable.copy() : durable, session.path, id, tag)
        }
        try await next.run(durability: .relaxed) { api in
            let session = LiveSession(server: api, path: path)
            let events = try await session.events(query: "?lastEventId=\(id)")
            if crashes { #expect(try await events.state().id != id) }
            let answer = try await session.dispatch("counter/increment", fields: [("If-Match", tag)])
            #expect(answer.status == (crashes ? 412 : 200))
            // Nothing was repeated if the history goes on.
            if !crashes { #expect(try await events.state().revision == 2) }
        }
    }

    @Test func theListIncludesHibernatedSessions() async throws {
        let durable = try DurableServer()
        let configuration = Configuration.with { $0.admin.token = .init("a-token-of-some-length") }
        let fields = [("Authorization", "Bearer a-token-of-some-length")]
        let first = try await durable.runAPI { api in try await api.session().path }
        try await durable.runAPI(configuration: configuration) { api in
            let second = try await api.session().path
            let list = try await api.get("/admin/sessions", fields)
            let found = list[json: "sessions"]?.asArray?.compactMap { $0["links"]?["self"]?.asString }
            #expect(Set(found ?? []) == [first, second])
            #expect(found?.count == 2)
        }
    }

    /// A store of a journal that outlives the process is read back, whatever `storage.kind` says; and nothing is kept by a
    /// journal that does not, or by no sealer.
    @Test func statesThatCannotBeReadBackAreRefused() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "restorable-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = try SQLiteJournal(path: directory.appending(path: "storehouse.db").path)
        #expect(throws: ConfigurationError.self) {
            try StorehouseServer(kinds: [.faulty], configuration: .with(), journal: file)
        }
        let memory = MemoryJournal(keepCommits: 10)
        _ = try StorehouseServer(kinds: [.faulty], configuration: .with(), journal: memory)
        let durable = Configuration.with { $0.storage.kind = .sqlite }
        let sealed = Configuration.with { $0.storage.key = SealingKey(String(repeating: "ab", count: 32)) }
        for configuration in [durable, sealed] {
            for journal in [memory, nil] {
                #expect(throws: ConfigurationError.self) {
                    try StorehouseServer(kinds: [Planner.store.kind], configuration: configuration, journal: journal)
                }
            }
        }
    }

    @Test func kindsThatCannotBeToldApartAreRefused() {
        let error = #expect(throws: ConfigurationError.self) {
            try StorehouseServer(
                kinds: [Planner.store.kind, Betting.store.kind, Planner.store.kind], configuration: .with())
        }
        #expect(error?.description == "configuration: two store kinds are called 'planner'; rename one of them")
        #expect(throws: ConfigurationError.self) { try StorehouseServer(kinds: [], configuration: .with()) }
    }

    @Test func anAddressInUseIsReportedWithWhatToDo() async throws {
        try await LiveServer.run { server in
            let configuration = Configuration.with { $0.http.port = server.port }
            do {
                let second = try StorehouseServer(kinds: [Planner.store.kind], configuration: configuration).start()
                await second.drain()
                Issue.record("two servers listen on one port")
            } catch {
                #expect("\(error)".hasPrefix("cannot listen on 127.0.0.1:\(server.port): Address already in use; "))
                #expect("\(error)".hasSuffix("or set another http.port (0 takes a free one)"))
            }
        }
    }

    @Test func actionsThatAreDeclaredTwiceAreRefused() throws {
        let error = try #require(throws: ConfigurationError.self) {
            try StorehouseServer(kinds: [.store("twice", TwiceReducer.self)], configuration: .with())
        }
        #expect("\(error)".contains(#"The action type "twice/go" is declared twice."#))
    }

    @Test func wakingASessionCountsAsUse() async throws {
        let durable = try DurableServer()
        let clock = ManualClock()
        let path = try await durable.runAPI(clock: clock.clock) { api in
            let session = try await api.session()
            #expect(try await session.read().status == 200)
            return session.path
        }
        clock.advance(by: 3_600_000)
        try await durable.runAPI(clock: clock.clock) { (api: TestAPI) async throws in
            let document = try await api.get(path)
            #expect(document[json: "lastActiveAt"] == .string(Timestamp.rfc3339(clock.now)))
        }
    }

    @Test func hibernatedSessionsWakeWhenUsed() async throws {
        let durable = try DurableServer()
        let configuration = Configuration.with {
            $0.sessions.maxResident = 10
            $0.sessions.idleTimeout = .seconds(1)
            $0.admin.token = .init("a-token-of-some-length")
        }
        let clock = ManualClock()
        try await durable.runAPI(clock: clock.clock, configuration: configuration) { api in
            var sessions: [LiveSession] = []
            for number in 1...40 {
                let session = try await api.session()
                _ = try await session.increment(number)
                sessions.append(session)
            }
            let events = try await sessions[0].events()
            _ = try await events.state()
            try await api.hibernates(to: 10)
            for (number, session) in sessions.enumerated() {
                let answer = try await session.increment()
                #expect(answer.revision == 2)
                #expect(answer.at("/state/counter/count") == .integer(number + 2))
            }
            // The session with a stream did not hibernate.
            let event = try await events.event()
            #expect(event?.revision == 2)
        }
    }
}

/// Declares one action type twice.
private struct TwiceReducer: HostedReducer {
    struct State: HostedState, StoreValue { var count = 0 }

    enum Action: DeclaredAction, Equatable {
        case go
        static let catalogue = ActionSchema<Action>([
            ActionDeclaration("twice/go", "Goes.", .go), ActionDeclaration("twice/go", "Goes too.", .go),
        ])
    }

    func decide(_ action: Action, in state: State) -> Decision { .accept }

    func reduce(_ state: inout State, _ action: Action) { state.count += 1 }
}
