import JSON
import Stores

/// A store that counts, and keeps a list of some size that never changes.
struct Step: HostedReducer {
    struct State: HostedState {
        var count = 0

        func encode(into json: inout JSONWriter) { json.value(Step.json(count)) }
    }

    struct Action: CataloguedAction, Equatable {
        static let catalogue = ActionCatalogue([ActionDeclaration("step", "Counts one more.", Action())])
    }

    /// It is always seven.
    struct Clock: StoreClock {
        func now() -> Int { 7 }
        func sleep(until moment: Int) async throws(CancellationError) {}
    }

    static let kind = StoreKind.store("step", Step.self)

    static func json(_ count: Int) -> JSONValue {
        ["count": .integer(count), "list": .array(Array(repeating: .integer(1), count: 100))]
    }

    func decide(_ action: Action, in state: State) -> Decision { .accept }

    func reduce(_ state: inout State, _ action: Action) { state.count += 1 }

    /// A session of this kind.
    static let session = SessionRecord(
        id: "session", kind: "steps", schema: 1, createdAt: 0, forkedFrom: nil, history: "h",
        initial: KeptState(json: kind.initialState))
}
