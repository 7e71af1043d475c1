import Stores
import StoresTesting
import Testing

extension CasePath<TallyAction, Int> {
    static var add: Self { CasePath(embed: { .add($0) }, extract: { if case .add(let number) = $0 { $1(number) } }) }
}

/// The assertions that a test must make, and the assertions that it may leave out.
@Suite struct ExhaustivityTests {
    private let lines = Lines()

    private func store(
        _ exhaustivity: Exhaustivity = .on,
        _ work: @escaping @Sendable (Int, Emitter<TallyAction>) async -> TallyAction? = { number, emitter in
            emitter.emit(.add(-number))
            return .add(number)
        }
    ) -> TestStore<Tally, TallyAction> {
        TestStore(
            Tally(), reducer: TallyReducer(), middleware: [MiddlewareFunction.working(work)],
            exhaustivity: exhaustivity, show: lines.add)
    }

    private func failure(_ body: () throws -> Void) -> String {
        do { try body() } catch { return "\(error)" }
        return "none"
    }

    @Test func aClosureThatChangesNothingIsAFailure() throws {
        let store = store()
        let text = failure { try store.dispatch(.stop) { _ in } }
        #expect(text.hasPrefix("stop was expected to change the state, but the closure of the assertion changes"))
        #expect(failure { try store.dispatch(.stop) { $0.values = [] } } == text)
        try store.dispatch(.add(1)) { $0.values = [1] }
        #expect(failure { try store.dispatch(.skip, .ignored) { $0.values = [2] } }.contains("values[0]: 2 → 1"))
    }

    @Test func theStateIsNotAheadOfWhatWasReceived() throws {
        let store = store()
        try store.dispatch(.start(2))
        #expect(store.state.values == [])
        try store.receive(.add(-2)) { $0.values = [-2] }
        #expect(store.state.values == [-2])
        try store.receive(.add(2)) { $0.values = [-2, 2] }
        #expect(store.state.values == [-2, 2])
        try store.finish()
    }

    @Test func anActionIsReceivedByItsCaseOrByACondition() throws {
        let store = store()
        try store.dispatch(.start(2))
        try store.receive(.add) { $0.values = [-2] }
        try store.receive(where: { $0 != .stop }, .committed, { $0.values.append(2) })
        try store.dispatch(.start(3))
        #expect(
            failure { try store.receive(where: { $0 == .stop }) }
                == "another action was received (expected → actual):\nan action that fulfils the condition → add(-3)")
    }

    @Test func withoutExhaustivityOnlyWhatIsNamedIsAsserted() throws {
        let store = store(.off())
        try store.dispatch(.add(1))
        try store.dispatch(.start(2)) { _ in }
        try store.receive(.add(2)) { $0.values[0] = 1 }
        #expect(store.state.values == [1, -2, 2])
        #expect(failure { try store.dispatch(.add(3)) { $0.values[0] = 7 } }.contains("values[0]: 7 → 1"))
        #expect(failure { try store.dispatch(.refuse) }.contains("expected committed, actual rejected refused"))
        try store.dispatch(.start(4))
        #expect(failure { try store.receive(.stop) }.contains("expected stop, actual none"))
        try store.finish()
        #expect(lines.all.isEmpty)
    }

    @Test func whatIsSkippedIsShown() throws {
        let store = store(.off(showSkipped: true))
        try store.dispatch(.start(2))
        try store.receive(.add(2))
        try store.dispatch(.start(3))
        try store.dispatch(.add(4)) { $0.values = [-2, 2, -3, 3, 4] }
        #expect(lines.all == ["skipped: add(-2)", "skipped: add(-3)", "skipped: add(3)"])
        store.exhaustivity = .on
        try store.dispatch(.start(5))
        #expect(throws: TestStoreFailure.self) { try store.dispatch(.add(6)) }
    }

    @Test func receivedActionsMayBeSkipped() throws {
        let store = store()
        try store.dispatch(.start(2))
        try store.skipReceivedActions()
        #expect(store.state.values == [-2, 2])
        try store.dispatch(.add(1)) { $0.values.append(1) }
        try store.skipReceivedActions(strict: false)
        try store.finish()
        #expect(failure { try store.skipReceivedActions() } == "expected a received action to skip, actual none")
    }

    @Test func runningEffectsMayBeSkipped() throws {
        let clock = TestClock()
        let store = store { number, _ in
            try? await clock.sleep(until: .max)
            return .add(number)
        }
        try store.dispatch(.start(2))
        #expect(clock.sleepers == [.max])
        try store.skipInFlightEffects()
        #expect(clock.sleepers == [])
        try store.finish()
        try store.dispatch(.add(1)) { $0.values = [1] }
        try store.skipInFlightEffects(strict: false)
        #expect(failure { try store.skipInFlightEffects() } == "expected a running effect to skip, actual none")
    }

    @Test func timersStayWhenEffectsAreSkipped() throws {
        let timers = Timers<Tally, TallyAction>("timers") { $0.values.map { StateTimer("\($0)", at: $0, .skip) } }
        let clock = TestClock()
        let waiting = MiddlewareFunction<Tally, TallyAction>.working { _, _ in
            try? await clock.sleep(until: .max)
            return nil
        }
        let store = TestStore(Tally(), reducer: TallyReducer(), middleware: [timers, waiting], clock: clock)
        try store.dispatch(.add(50)) { $0.values = [50] }
        try store.dispatch(.start(1))
        try store.skipInFlightEffects()
        try store.advance(to: 50)
        try store.receive(.skip, .ignored)
        try store.finish()
    }
}
