import JSON
import Locks
import StoreHosting
import Stores
import Testing

/// A selection costs what it selects.
@Suite struct SelectionTests {
    /// A value that counts how often it is encoded.
    private struct Counted: JSONEncodable, Sendable {
        static let counts = Locked<[String: Int]>([:])

        let name: String

        func encode(into json: inout JSONWriter) {
            Self.counts.withLock { $0[name, default: 0] += 1 }
            json.object { $0.member("name", name) }
        }
    }

    private struct Part: ObjectState, Sendable {
        var deep = Counted(name: "deep")
        var other = Counted(name: "other")

        func visitMembers(_ members: inout some MemberVisitor & ~Copyable) {
            members.member("deep", deep)
            members.member("other", other)
        }
    }

    private struct State: HostedState, ObjectState {
        var large = Counted(name: Self.name)
        var part = Part()
        private let stamp = ChangeToken()

        static let name = String(repeating: "large", count: 200)

        func visitMembers(_ members: inout some MemberVisitor & ~Copyable) {
            members.member("large", large, stamp: stamp)
            members.member("part", part)
        }
    }

    private struct Nothing: Reducer {
        func decide(_ action: NoteAction, in state: State) -> Decision { .accept }

        func reduce(_ state: inout State, _ action: NoteAction) {}
    }

    @Test func onlyTheMemberOnThePathIsEncoded() throws {
        let store = StoreKind.store("counted", reducer: Nothing()).makeStore()
        // The initial state is encoded already, and so is what a commit has written, but for long members.
        store.dispatch(["type": "note/clear"], DispatchOptions()) { _ in }
        let rows: [(String, String, [String: Int])] = [
            ("/part/deep", #"{"name":"deep"}"#, ["deep": 1]),
            ("/part/deep/name", #""deep""#, ["deep": 1]),
            ("/part", #"{"deep":{"name":"deep"},"other":{"name":"other"}}"#, ["deep": 1, "other": 1]),
            ("/part/nothing", "null", [:]),
            ("/part/deep/name/x", "null", ["deep": 1]),
            ("/nothing", "null", [:]),
            ("/large/name", "\"\(State.name)\"", [State.name: 1]),
        ]
        for (pointer, json, counts) in rows {
            Counted.counts.withLock { $0 = [:] }
            let state = store.read(.pointer(try JSONPointer(pointer)))
            #expect(String(decoding: state.json, as: UTF8.self) == json)
            #expect(Counted.counts.withLock { $0 } == counts, "\(pointer)")
        }
        #expect(store.read(.pointer(try JSONPointer(""))).json == store.read().json)
    }
}
