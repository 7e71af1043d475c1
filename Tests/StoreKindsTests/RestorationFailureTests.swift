import JSON
import StoreHosting
import StoreKinds
import Stores
import StoresTesting
import Testing

/// A persisted state is not trusted: a value that a store could not work with is refused, and the refusal names the
/// place.
@Suite struct RestorationFailureTests {
    private static let highest = "\(Int.max)"

    @Test(
        arguments: [
            ("/counter/count", "1.5", "/counter/count must be an integer of 64 bits"),
            ("/counter", "[]", "/counter must be an object"),
            ("/user/balance", "-1", "/user/balance must be from 0 to 1000000000000000"),
            ("/user/balance", highest, "/user/balance must be from 0 to 1000000000000000"),
            ("/betslip/selections/0/odds", highest, "/betslip/selections/0/odds must be from 101 to 100000"),
            ("/betslip/selections/0/stake", "-5", "/betslip/selections/0/stake must be from 0 to 1000000000000"),
            ("/betslip/selections/0/event", "1", "/betslip/selections/0/event must be a string"),
            ("/betslip/placed", "{}", "/betslip/placed must be an array"),
            ("/animal/isLoading", #""yes""#, "/animal/isLoading must be true or false"),
            ("/animal/error", "{}", "/animal/error/code is missing"),
            (
                "/animal/error", #"{"code":"bored","message":""}"#,
                "/animal/error/code is none of the codes that there are"
            ),
            (
                "/login/status", #""bored""#,
                "/login/status is none of the values that there are"
            ),
            ("/login/status", #""failure""#, "/login/status does not fit the error"),
            ("/tasks/entities/1/id", "2", "/tasks/entities/1 has another id than its name"),
            ("/tasks/entities/1/title", "null", "/tasks/entities/1/title must be a string"),
            ("/tasks/entities/1", "null", "/tasks/entities/1 must be an object"),
            ("/tasks/entities/1", "{}", "/tasks/entities/1/id is missing"),
            ("/tasks/entities", "{}", "/tasks/entities/1 is missing"),
            ("/tasks/entities", "[]", "/tasks/entities must be an object"),
            ("/tasks/ids", "[1,2,2]", "/tasks/ids must name each of the entities once"),
            ("/tasks/ids", "[1]", "/tasks/ids must name each of the entities once"),
            ("/tasks/ids", "[1,true]", "/tasks/ids/1 must be an integer of 64 bits"),
            ("/tasks/favorited", "[3]", "/tasks/favorited must name tasks, each once"),
            ("/tasks/favorited", "[2,2]", "/tasks/favorited must name tasks, each once"),
            ("/trends/added", highest, "/trends/added must be from 0 to \(Int.max / 2)"),
            ("/settings/theme", #""pink""#, "/settings/theme is none of the values that there are"),
        ] as [(String, String, String)])
    func theStateIsRead(_ pointer: String, _ value: String, _ complaint: String) async throws {
        let (kind, persisted) = try await used()
        let json = try changed(persisted.json, pointer, value)
        let failure = #expect(throws: RestorationError.self) {
            try kind.makeStore(from: StateSnapshot(json: json, privateState: persisted.privateState), revision: 4)
        }
        #expect(failure?.description == "in the persisted state, " + complaint)
    }

    @Test(
        arguments: [
            ("/tasks/nextID", "0", "/tasks/nextID must be from 1 to \(Int.max / 2)"),
            ("/tasks/nextID", highest, "/tasks/nextID must be from 1 to \(Int.max / 2)"),
            ("/login/username", "1", "/login/username must be a string"),
            ("/login/password", "1", "/login/password must be a string"),
        ] as [(String, String, String)])
    func whatWasHiddenIsRead(_ pointer: String, _ value: String, _ complaint: String) async throws {
        let (kind, persisted) = try await used()
        let privateState = try changed(persisted.privateState ?? [], pointer, value)
        let failure = #expect(throws: RestorationError.self) {
            try kind.makeStore(from: StateSnapshot(json: persisted.json, privateState: privateState), revision: 4)
        }
        #expect(failure?.description == "in the persisted private state, " + complaint)
    }

    /// An id that would be given twice.
    @Test func theNextIDIsNew() async throws {
        let (kind, persisted) = try await used()
        let privateState = try changed(persisted.privateState ?? [], "/tasks/nextID", "2")
        #expect(
            throws: RestorationError.unreadable(
                .state, at: "/tasks/ids", "must be below the next id")
        ) {
            try kind.makeStore(from: StateSnapshot(json: persisted.json, privateState: privateState), revision: 4)
        }
    }

    @Test func aFormKeepsItsInvariants() throws {
        let kind = try #require(StoreKind.scripted(ScriptedRemoteClient()).first { $0.name == "login-form" })
        let both = try changed(kind.initialState, "/form/isBusy", "true", "/form/isAuthenticated", "true")
        let failure = #expect(throws: RestorationError.self) {
            try kind.makeStore(
                from: StateSnapshot(json: both, privateState: kind.initialSnapshot.privateState), revision: 1)
        }
        #expect(failure?.description == "in the persisted state, /form breaks the invariant busy-and-authenticated")
    }

    /// The key may have been lost or changed: then the password is, and nothing else.
    @Test func whatCannotBeOpenedIsAsIfItHadBeenLeftOut() async throws {
        let kind = try #require(StoreKind.scripted(ScriptedRemoteClient()).first { $0.name == "app" })
        let store = kind.makeStore(sealer: MirrorSealer())
        for (name, text) in [("username", "some username"), ("password", "some password")] {
            _ = await store.dispatch(
                ["type": "login/enteringCredential", "payload": .object([name: .string(text)])])
        }
        let (revision, persisted) = store.snapshot()
        let broken = try changed(persisted.privateState ?? [], "/login/password", #""***""#)
        for (privateState, sealer) in [
            (persisted.privateState, MirrorSealer(mark: 2)), (broken, MirrorSealer()), (persisted.privateState, nil),
        ] {
            let next = try kind.makeStore(
                sealer: sealer, from: StateSnapshot(json: persisted.json, privateState: privateState),
                revision: revision)
            #expect(next.json == store.json)
            next.resume()
            #expect(try JSONValue(parsing: next.json)["login"]?["status"] == "validatingCredentials")
            #expect(next.revision == revision + 1)
        }
    }

    /// The app with something in every slice.
    private func used() async throws -> (StoreKind, StateSnapshot) {
        let kind = try #require(StoreKind.scripted(ScriptedRemoteClient()).first { $0.name == "app" })
        let store = kind.makeStore()
        let selection: JSONValue = ["id": "a", "event": "e", "outcome": "o", "odds": 250]
        let actions: [(JSONValue, JSONValue)] = [
            ("tasks/add", ["title": "one"]), ("tasks/add", ["title": "two"]), ("betslip/addSelection", selection),
            ("login/enteringCredential", ["password": "some password"]),
        ]
        for (type, payload) in actions {
            #expect(await store.dispatch(["type": type, "payload": payload]).word == "committed")
        }
        return (kind, store.snapshot().state)
    }

    /// The JSON with other values at those places: a pointer and a value each.
    private func changed(_ json: [UInt8], _ changes: String...) throws -> [UInt8] {
        let operations = stride(from: 0, to: changes.count, by: 2).map { place in
            EncodedPatch.Operation(.add, changes[place], Array(changes[place + 1].utf8))
        }
        return try #require(EncodedPatch(operations).applied(to: try JSONValue(parsing: json))).encoded()
    }
}
