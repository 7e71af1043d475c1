import Stores
import StoresTesting
import Testing

@Suite struct TestStoreTests {
    private func store() -> TestStore<Tally, TallyAction> {
        TestStore(
            Tally(), reducer: TallyReducer(), middleware: [MiddlewareFunction.working { number, _ in .add(number) }])
    }

    @Test func followsActionsAndEffects() async throws {
        let store = store()
        try store.dispatch(.add(1)) { $0.values = [1] }
        try store.dispatch(.start(2))
        try await store.receive(.add(2)) { $0.values.append(2) }
        try store.dispatch(.refuse, .rejected("refused", index: 0))
        try await store.finish()
        #expect(store.state.values == [1, 2])
    }

    @Test func findsWhatIsOtherwise() async throws {
        let store = store()
        #expect(throws: TestStoreFailure.state(expected: "\(Tally())", found: "\(Tally(values: [1]))")) {
            try store.dispatch(.add(1))
        }
        #expect(throws: TestStoreFailure.outcome(expected: "committed", found: "ignored")) {
            try store.dispatch(.skip)
        }
        await #expect(throws: TestStoreFailure.nothingCame(expected: "\(TallyAction.add(3))")) {
            try await store.receive(.add(3))
        }
        try store.dispatch(.start(2))
        await #expect(throws: TestStoreFailure.notReceived("\(TallyAction.add(2))")) { try await store.finish() }
    }
}
