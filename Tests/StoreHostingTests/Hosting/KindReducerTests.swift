import StoreHosting
import Stores
import Testing

/// The problems that a kind finds in its reducer when a server starts.
@Suite struct KindReducerTests {
    private typealias Follower = OnAction<Locker.First, Locker.Action>

    private let problem =
        #"The reducer of "locker" only follows actions that others accept, so it would ignore every action. "#
        + "Add a reducer that decides."

    private func problems(_ reducer: some Reducer<Locker.First, Locker.Action>) -> [String] {
        let async = StoreKind.async("locker", reducer: Asynchronous(reducer)).problems
        let problems = StoreKind.store("locker", reducer: reducer).problems
        return async == problems ? problems : ["\(async) ≠ \(problems)"]
    }

    @Test func aReducerThatAcceptsNothingIsAProblem() {
        #expect(problems(Follower { _, _ in }) == [problem])
        #expect(problems(Compose<Locker.First, Locker.Action> {}) == [problem])
        #expect(problems(Compose { Follower { _, _ in } }) == [problem])
        #expect(problems(Scope(\.self, .whole, Follower { _, _ in })) == [problem])
    }

    @Test func aReducerThatAcceptsIsNone() {
        #expect(problems(Locker.FirstReducer()) == [])
        #expect(
            problems(
                Compose {
                    Follower { _, _ in }
                    Locker.FirstReducer()
                }) == [])
    }

    @Test func middlewareOfAReducerRunsInItsKind() {
        let looking = MiddlewareFunction<Locker.First, Locker.Action> { commit in
            if case .name = commit.action { .dispatch(.look) } else { .none }
        }
        let store = StoreKind.store("locker", reducer: Locker.FirstReducer().with(looking)).makeStore()
        store.dispatch(["type": "locker/name", "payload": ["name": "Ada"]], DispatchOptions()) { _ in }
        #expect(store.revision == 2)
    }
}
