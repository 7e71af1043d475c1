import JSON
import StoreHosting
import Stores
import Testing

// A state that is restored by hand.

struct Logbook: HostedState, ObjectState, Restorable {
    var entries: [String] = []
    var nextNumber = 1
    var pin = ""

    init() {}

    init(restoring persisted: JSONValue.Persisted) throws(RestorationError) {
        entries = try persisted.member("entries")
        nextNumber = try persisted.privateMember("nextNumber", in: 1...1_000_000)
        pin = try persisted.secret("pin") ?? ""
    }

    func visitMembers(_ members: inout some MemberVisitor & ~Copyable) {
        members.member("entries", entries)
        members.member("count", entries.count)
    }

    func encodePrivate(into members: inout JSONValue.PrivateEncoder) {
        members.member("nextNumber", nextNumber)
        members.secret("pin", pin)
    }
}

enum LogbookAction: DeclaredAction, Equatable {
    case write(String)

    static let catalogue = ActionSchema<LogbookAction>([
        ActionDeclaration(
            "logbook/write", "Writes an entry.", fields: .text("text", 1...80, example: "calm"),
            embed: { .write($0) }, extract: { if case .write(let text) = $0 { text } else { nil } })
    ])
}

struct LogbookReducer: HostedReducer {
    func decide(_ action: LogbookAction, in state: Logbook) -> Decision { .accept }

    func reduce(_ state: inout Logbook, _ action: LogbookAction) {
        switch action {
        case .write(let text):
            state.entries.append("\(state.nextNumber): \(text)")
            state.nextNumber += 1
            state.pin = "1234"
        }
    }
}

struct Item: StoreValue, Identifiable {
    enum Color: String, StoreValue { case red, blue }

    var id: String
    var color: Color
    var note: String?
}

@Suite struct PersistenceSamples {
    @Test func aCodableValueNeedsNoCode() {
        let items = EntityTable([Item(id: "a", color: .red)])
        #expect(items.encoded() == Array(#"{"entities":{"a":{"id":"a","color":"red"}},"ids":["a"]}"#.utf8))
    }

    @Test func aRestoredStoreContinues() throws {
        let kind = StoreKind.store("logbook", LogbookReducer.self)
        let store = kind.makeStore()
        store.dispatch(["type": "logbook/write", "payload": ["text": "calm"]], DispatchOptions()) { _ in }

        let (revision, persisted) = store.snapshot()
        let next = try kind.makeStore(from: persisted, revision: revision)
        next.resume()

        #expect(next.revision == 1)
        #expect(next.read().json == Array(#"{"entries":["1: calm"],"count":1}"#.utf8))
        #expect(persisted.privateState == Array(#"{"nextNumber":2}"#.utf8))
        next.dispatch(["type": "logbook/write", "payload": ["text": "storm"]], DispatchOptions()) { _ in }
        #expect(next.read(.root).json == Array(#"{"entries":["1: calm","2: storm"],"count":2}"#.utf8))
    }

    @Test func anOlderStateIsMigrated() throws {
        let renaming: StoreKind.Migration = { state, privateState in
            state = ["entries": state["lines"] ?? []]
        }

        let kind = StoreKind.store("logbook", LogbookReducer.self, migrations: [renaming])
        let old = StateSnapshot(
            json: Array(#"{"lines":["1: calm"]}"#.utf8), privateState: Array(#"{"nextNumber":2}"#.utf8))
        let store = try kind.makeStore(from: old, revision: 1)
        store.resume()
        #expect(store.revision == 2)
        #expect(store.read().json == Array(#"{"entries":["1: calm"],"count":1}"#.utf8))
    }
}
