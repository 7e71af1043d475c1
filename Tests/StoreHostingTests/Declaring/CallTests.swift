import JSON
import RemoteServices
import StoreHosting
import Stores
import StoresTesting
import Testing

private struct Desk: Sendable, Equatable {
    var note = ""
    var isAsking = false
    var error: String?
    var key = Secret("")
    var wasRestored = false

    static let ask = Action<Desk, String>("ask", "Asks.", .text("what", 1...9, example: "time")) { desk, _ in
        desk.isAsking = true
    }
    static let hangUp = Action<Desk, Void>("hangUp", "Stops.") { $0.isAsking = false }
    static let answer = Action<Desk, String>("answer", "The answer.", .text("text", 0...99, example: "")) {
        $0.note = $1
        $0.isAsking = false
    }
    static let fail = Action<Desk, String>("fail", "No answer.", .text("code", 0...99, example: "timeout")) {
        $0.error = $1
        $0.isAsking = false
    }
    static let wake = Action<Desk, Void>("wake", "Continues.") { $0.wasRestored = true }
    static let lock = Action<Desk, String>("lock", "Locks.", .text("key", 1...9, example: "1234").secret()) {
        $0.key = Secret($1)
    }
}

private let desk = StoreDefinition("desk", "A desk.", Desk()) {
    Member("note", \.note)
    Member("isAsking", \.isAsking)
    Member("error", \.error)
    Member("key", \.key)
    Member("wasRestored", \.wasRestored)
    Desk.ask
    Desk.hangUp
    Desk.answer
    Desk.fail
    Desk.wake
    Desk.lock
    Call("desk.ask", on: Desk.ask, to: "oracle", cancelledBy: Desk.hangUp) {
        (clients, desk, what) async throws(RemoteFailure) in
        let answer = try await clients["oracle"].call(.get("/\(what)?\(desk.isAsking)"))
        return Desk.answer(String(decoding: answer.body, as: UTF8.self))
    } failed: {
        Desk.fail($0.code.rawValue)
    } isWaiting: {
        $0.isAsking
    }
    Resume { desk in desk.isAsking ? [Desk.wake()] : [] }
}

private final class PlainSealer: SecretSealer {
    func seal(_ clear: [UInt8]) -> [UInt8]? { clear.reversed() }
    func open(_ sealed: [UInt8]) -> [UInt8]? { sealed.reversed() }
}

@Suite struct CallTests {
    private let oracle = ScriptedRemoteClient()

    private func store() -> TestStore<Desk, StoreAction<Desk>> {
        TestStore(Desk(), reducer: desk.reducer, middleware: desk.middleware(RemoteClients(["oracle": oracle])))
    }

    @Test func theResultIsAnAction() throws {
        let store = store()
        try store.dispatch(Desk.ask("time")) { $0.isAsking = true }
        #expect(oracle.requests == [.get("/time?true")])
        oracle.reply("noon")
        try store.receive(Desk.answer("noon")) {
            $0.note = "noon"
            $0.isAsking = false
        }
        try store.dispatch(Desk.ask("date")) { $0.isAsking = true }
        oracle.reply(.failure(RemoteFailure(.timeout, "no answer")))
        try store.receive(Desk.fail("timeout")) {
            $0.error = "timeout"
            $0.isAsking = false
        }
        try store.finish()
        #expect(desk.kind.services.map(\.name) == ["oracle"])
        #expect(desk.kind.problems == [])
    }

    @Test func theWorkGetsAValueForEachField() throws {
        let askTwice = Action<Desk, (String, Int)>(
            "ask", "Asks.", .text("what", 1...9, example: "time"), .integer("count", 1...9)
        ) { desk, _, _ in
            desk.isAsking = true
        }
        let desk = StoreDefinition("desk", "A desk.", Desk()) {
            askTwice
            Desk.answer
            Desk.fail
            Call("desk.ask", on: askTwice, to: "oracle") { (clients, desk, what, count) async throws(RemoteFailure) in
                _ = try await clients["oracle"].call(.get("/\(what)/\(count)"))
                return Desk.answer("\(desk.isAsking) \(what) \(count)")
            } failed: {
                Desk.fail($0.code.rawValue)
            }
        }
        let store = TestStore(
            Desk(), reducer: desk.reducer, middleware: desk.middleware(RemoteClients(["oracle": oracle])))
        try store.dispatch(askTwice("time", 2)) { $0.isAsking = true }
        oracle.reply("")
        try store.receive(Desk.answer("true time 2")) {
            $0.note = "true time 2"
            $0.isAsking = false
        }
        #expect(oracle.requests == [.get("/time/2")])
        try store.finish()
    }

    @Test func theLatestWinsAndAnActionCancels() throws {
        let store = store()
        try store.dispatch(Desk.ask("a")) { $0.isAsking = true }
        try store.dispatch(Desk.ask("b"))
        #expect(oracle.cancellations == 1)
        try store.dispatch(Desk.hangUp()) { $0.isAsking = false }
        #expect(oracle.cancellations == 2)
        try store.finish()
    }

    @Test func aRestoredStoreLearnsOfTheInterruption() throws {
        let kind = desk.kind.connected(to: RemoteClients(["oracle": oracle]))
        let before = kind.makeStore()
        before.dispatch("desk/ask", ["what": "time"])
        let (revision, snapshot) = before.snapshot()
        let store = try kind.makeStore(from: snapshot, revision: revision)
        store.resume()
        #expect(store.json.hasSuffix(#""isAsking":false,"error":"interrupted","wasRestored":true}"#))
        let calm = try kind.makeStore(from: kind.initialSnapshot, revision: 0)
        calm.resume()
        #expect(calm.revision == 0)
    }

    @Test(arguments: [true, false])
    func aSecretIsPersistedSealedOrNotAtAll(_ seals: Bool) throws {
        let sealer: PlainSealer? = seals ? PlainSealer() : nil
        let store = desk.kind.makeStore(sealer: sealer)
        store.dispatch("desk/lock", ["key": "opensesam"])
        #expect(!store.json.contains("key"))
        let (revision, snapshot) = store.snapshot()
        let sealed = snapshot.privateState.map { String(decoding: $0, as: UTF8.self) }
        #expect(sealed == (seals ? #"{"key":"bWFzZXNuZXBv"}"# : "{}"))
        let restored = try desk.kind.makeStore(sealer: sealer, from: snapshot, revision: revision)
        #expect(restored.snapshot().state.privateState == (seals ? snapshot.privateState : Array(#"{"key":""}"#.utf8)))
        #expect("\(Desk(key: Secret("opensesam")))".contains("***"))
    }
}
