import Stores
import StoresTesting
import Testing

@Suite struct TestStoreTests {
    private func store(
        _ work: @escaping @Sendable (Int, Emitter<TallyAction>) async -> TallyAction? = { number, _ in .add(number) }
    ) -> TestStore<Tally, TallyAction> {
        TestStore(Tally(), reducer: TallyReducer(), middleware: [MiddlewareFunction.working(work)])
    }

    private func failure(_ body: () throws -> Void) -> String {
        do { try body() } catch { return "\(error)" }
        return "none"
    }

    @Test func followsActionsAndEffects() throws {
        let store = store()
        try store.dispatch(.add(1)) { $0.values = [1] }
        try store.dispatch(.start(2))
        try store.receive(.add(2)) { $0.values.append(2) }
        try store.expectRejected(.refuse, "refused")
        try store.expectIgnored(.skip)
        try store.finish()
        #expect(store.state.values == [1, 2])
    }

    @Test func aFailureShowsTheDifference() throws {
        let store = store()
        #expect(
            failure { try store.dispatch(.add(1)) }
                == "add(1) led to another state (expected → actual):\nvalues[0]: nothing → 1")
        #expect(
            failure { try store.dispatch(.skip) } == "skip had another outcome: expected committed, actual ignored")
        #expect(
            failure { try store.expectRejected(.refuse, "tired") }
                == "refuse had another outcome: expected rejected tired, actual rejected refused")
        #expect(
            failure { try store.expectIgnored(.stop) } == "stop had another outcome: expected ignored, actual committed"
        )
        #expect(failure { try store.receive(.add(3)) } == "expected add(3), actual none: it was not received")
        // The test store has followed the actual outcomes, not the expected ones.
        try store.dispatch(.add(2)) { $0.values = [1, 2] }
        try store.dispatch(.start(4))
        #expect(
            failure { try store.receive(.add(5)) } == "another action was received (expected → actual):\nadd: 5 → 4")
    }

    @Test func actionsThatWereNotReceivedFailTheNextStepAndTheEnd() throws {
        let store = store { number, emitter in
            emitter.emit(.skip)
            emitter.emit(.refuse)
            return .add(number)
        }
        try store.dispatch(.start(2))
        let expected = "not received:\nskip, ignored\nrefuse, rejected refused\nadd(2)"
        #expect(failure { try store.dispatch(.add(1)) } == expected)
        try store.receive(.skip, .ignored)
        try store.receive(.refuse, .rejected("refused", index: 0))
        try store.receive(.add(2)) { $0.values = [2] }
        try store.finish()
    }

    /// A test store fails its test from its `deinit`: the issues that it records are expected here.
    @Test func aReleasedStoreFailsTheTestOnce() throws {
        try withKnownIssue {
            try self.store().dispatch(.start(2))
        } matching: { issue in
            issue.error as? TestStoreFailure == .notReceived(["add(2)"])
        }
        try withKnownIssue {
            let clock = TestClock()
            try self.store { _, _ in
                try? await clock.sleep(until: 1)
                return nil
            }.dispatch(.start(2))
        } matching: { issue in
            issue.error as? TestStoreFailure == .stillRunning(["start(2)"])
        }
        // The first failure was thrown, and the store reports nothing more.
        let store = store()
        #expect(throws: TestStoreFailure.self) { try store.dispatch(.start(2)) { $0.values = [7] } }
    }

    @Test func effectsThatGoOnFailTheEndUnlessTheyAreEnded() throws {
        let clock = TestClock()
        let store = store { number, _ in
            try? await clock.sleep(until: .max)
            return .add(number)
        }
        try store.dispatch(.start(2))
        #expect(throws: TestStoreFailure.stillRunning(["start(2)"])) { try store.finish() }
        #expect(clock.sleepers == [.max])
        store.end()
        #expect(clock.sleepers == [])
        try store.finish()
        try store.dispatch(.add(1), .ended)
    }

    @Test func anEffectThatNeverWaitsIsFound() throws {
        let store = store { _, _ in
            while !Task.isCancelled { await Task.yield() }
            return nil
        }
        #expect(throws: TestStoreFailure.endless) { try store.dispatch(.start(1)) }
        store.end()
    }

    @Test func whatAnotherThreadBringsCanBeWaitedFor() async throws {
        let store = store { number, _ in
            await Task.detached {}.value
            return .add(number)
        }
        try store.dispatch(.start(2))
        try await store.waitForEffects()
        try store.receive(.add(2)) { $0.values = [2] }
        try await store.waitForEffects()
        try store.finish()
    }

    @Test func anActionThatIsLostAtALimitIsAFailure() throws {
        let clock = TestClock()
        let store = TestStore(
            Tally(), reducer: TallyReducer(),
            middleware: [
                MiddlewareFunction { commit in
                    guard case .start = commit.action else { return .none }
                    return .run("work", .parallel) {
                        try? await clock.sleep(until: 100)
                        return nil
                    }
                },
                MiddlewareFunction { $0.action == .add(1) ? .dispatch(.start(2)) : .none },
            ], effectLimit: 1)
        try store.dispatch(.start(1))
        let fault = StoreFault.actionLost(.tooManyEffects, .middleware, type: "start", label: "")
        #expect(throws: TestStoreFailure.faults([fault])) { try store.dispatch(.add(1)) { $0.values = [1] } }
        store.end()
    }

    @Test func anEndlessCascadeIsAFailure() throws {
        let echo = MiddlewareFunction<Tally, TallyAction> { _ in .dispatch(.stop) }
        let store = TestStore(Tally(), reducer: TallyReducer(), middleware: [echo])
        #expect(failure { try store.dispatch(.stop) }.hasPrefix("one action set off more than"))
    }
}
