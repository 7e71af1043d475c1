import JSON
import StoreHosting
import Stores
import Testing

/// How values are read back.
@Suite struct PersistedValueTests {
    private struct Sample: HostedState, ObjectState, Restorable, Equatable {
        enum Color: Int, JSONEncodable, Restorable {
            case red = 1
            case blue
        }
        struct Item: Identifiable, Sendable, Equatable, JSONEncodable, Restorable {
            let id: String
            var parts: [Color?] = []

            init(id: String) { self.id = id }

            init(restoring persisted: JSONValue.Persisted) throws(RestorationError) {
                id = try persisted.member("id")
                parts = try persisted.member("parts")
            }

            func encode(into json: inout JSONWriter) {
                json.object { json in
                    json.member("id", id)
                    json.member("parts", parts)
                }
            }
        }

        var number = 0.5
        var anything: JSONValue = [1, ["a": nil]]
        @Tracked var stamped: [Int] = []
        var items = EntityTable<Item>()
        var maybe: String?
        var token = ""

        init() {}

        init(restoring persisted: JSONValue.Persisted) throws(RestorationError) {
            number = try persisted.member("number")
            anything = try persisted.member("anything")
            stamped = try persisted.member("stamped")
            items = try persisted.table()
            maybe = try persisted.member(ifPresent: "maybe")
            token = try persisted.secret("token") ?? "lost"
        }

        func visitMembers(_ members: inout some MemberVisitor & ~Copyable) {
            members.member("number", number)
            members.member("anything", anything)
            members.member("stamped", stamped, stamp: $stamped)
            members.members(of: items)
            members.member("maybe", maybe)
        }

        func encodePrivate(into members: inout JSONValue.PrivateEncoder) { members.secret("token", token) }
    }

    private enum Change: DeclaredAction, Equatable {
        case fill

        static let catalogue = ActionSchema<Change>([ActionDeclaration("sample/fill", "Fills it.", .fill)])
    }

    private struct Filling: HostedReducer {
        func decide(_ action: Change, in state: Sample) -> Decision { .accept }

        func reduce(_ state: inout Sample, _ action: Change) {
            state.number = 1e300
            state.anything = ["deep": [[], JSONValue.null]]
            state.stamped = [3, 1, 2]
            for id in ["/~", "ü\"", ""] {
                var item = Sample.Item(id: id)
                item.parts = [.blue, nil, .red]
                state.items.insert(item, at: 0)
            }
            state.maybe = "well"
            state.token = "sesame"
        }
    }

    private struct Plain: HostedState {
        func encode(into json: inout JSONWriter) { json.null() }
    }

    private struct PlainReducer: HostedReducer {
        func decide(_ action: Change, in state: Plain) -> Decision { .accept }

        func reduce(_ state: inout Plain, _ action: Change) {}
    }

    private let kind = StoreKind.store("sample", Filling.self)

    @Test func everyKindOfValueComesBack() throws {
        let store = kind.makeStore()
        #expect(try kind.makeStore(from: store.snapshot().state, revision: 0).read().json == store.read().json)
        store.dispatch(["type": "sample/fill"], DispatchOptions()) { _ in }
        let persisted = store.snapshot().state
        #expect(persisted.privateState == Array("{}".utf8))
        let next = try kind.makeStore(from: persisted, revision: 1)
        #expect(next.read().json == store.read().json)
        #expect(next.snapshot().state == persisted)
    }

    @Test(arguments: [
        (#""1""#, "/number must be a number"), ("1e999", "/number is beyond what a number may be"),
    ])
    func refusesWhatIsNoNumber(_ number: String, _ complaint: String) throws {
        let json = String(decoding: kind.initialState, as: UTF8.self).replacing("0.5", with: number)
        let failure = #expect(throws: RestorationError.self) {
            try kind.makeStore(
                from: StateSnapshot(json: Array(json.utf8), privateState: kind.initialSnapshot.privateState),
                revision: 0)
        }
        #expect(failure?.description == "in the persisted state, " + complaint)
    }

    @Test func whatIsNotJSONIsRefused() {
        let initial = kind.initialSnapshot
        #expect(throws: RestorationError.malformed(.state)) {
            try kind.makeStore(from: StateSnapshot(json: [], privateState: initial.privateState), revision: 0)
        }
        #expect(throws: RestorationError.malformed(.privateState)) {
            try kind.makeStore(from: StateSnapshot(json: initial.json, privateState: [0x7B]), revision: 0)
        }
        #expect(throws: RestorationError.unreadable(.state, at: "", "must be an object")) {
            try kind.makeStore(
                from: StateSnapshot(json: Array("[]".utf8), privateState: initial.privateState), revision: 0)
        }
    }

    /// A kind whose state is not `Restorable` works, but cannot be persisted.
    @Test func aStateThatIsNotRestorableIsNotPersisted() throws {
        let kind = StoreKind.store("plain", PlainReducer.self)
        #expect(!kind.isRestorable)
        #expect(kind.initialSnapshot == StateSnapshot(json: Array("null".utf8)))
        #expect(throws: RestorationError.notRestorable) { try kind.makeStore(from: kind.initialSnapshot, revision: 0) }
        // A pointer reads the persisted JSON without restoring the state.
        #expect(try kind.select(.root, of: kind.initialSnapshot) == Array("null".utf8))
        #expect(throws: RestorationError.notRestorable) { try kind.select(.named("any"), of: kind.initialSnapshot) }
    }
}
