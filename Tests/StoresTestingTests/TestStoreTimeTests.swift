import Foundation
import Stores
import StoresTesting
import Testing

/// Effects that compete, debounced and delayed ones, and timers: all on the clock of the test.
@Suite struct TestStoreTimeTests {
    private struct Search: Sendable, Equatable {
        var text = ""
        var found: [String] = []
        var reminders: [Int] = []
    }

    private enum SearchAction: Sendable, Equatable {
        case type(String)
        case found(String)
        case race
        case remind(at: Int)
        case reminded(Int)
    }

    private struct SearchReducer: Reducer {
        func decide(_ action: SearchAction, in state: Search) -> Decision { .accept }

        func reduce(_ state: inout Search, _ action: SearchAction) {
            switch action {
            case .type(let text): state.text = text
            case .found(let result): state.found.append(result)
            case .race: break
            case .remind(let moment): state.reminders.append(moment)
            case .reminded(let moment): state.reminders.removeAll { $0 == moment }
            }
        }
    }

    private struct SearchMiddleware: Middleware {
        let clock: TestClock

        func respond(to commit: borrowing Commit<Search, SearchAction>) -> Effect<SearchAction> {
            switch commit.action {
            case .type(let text):
                .run("search", .debounced(for: .milliseconds(300))) { .found(text) }
            case .race: .merge(runner("a", steps: 3), runner("b", steps: 1), runner("c", steps: 2), crowd())
            case .found, .remind, .reminded: .none
            }
        }

        private func runner(_ name: String, steps: Int) -> Effect<SearchAction> {
            .run("race", .parallel) { [clock] in
                for _ in 0..<steps { await Task.yield() }
                try? await clock.sleep(until: 10 * steps)
                return .found(name)
            }
        }

        /// Several tasks of one effect, which are all woken at once.
        private func crowd() -> Effect<SearchAction> {
            .run("crowd") { [clock] in
                await withTaskGroup(of: Int.self) { group in
                    for number in 1...3 {
                        group.addTask {
                            try? await clock.sleep(until: 10)
                            return number
                        }
                    }
                    return .found(await group.reduce("") { "\($0)\($1)" })
                }
            }
        }
    }

    private func store() -> TestStore<Search, SearchAction> {
        let clock = TestClock()
        let timers = Timers<Search, SearchAction>("reminders") { state in
            state.reminders.map { StateTimer(EffectID("\($0)"), at: $0, .reminded($0)) }
        }
        return TestStore(
            Search(), reducer: SearchReducer(), middleware: [SearchMiddleware(clock: clock), timers], clock: clock)
    }

    private func playScenario() throws {
        let store = store()
        try store.dispatch(.remind(at: 700)) { $0.reminders = [700] }
        try store.dispatch(.remind(at: 15)) { $0.reminders = [700, 15] }
        try store.dispatch(.race)
        try store.dispatch(.type("c")) { $0.text = "c" }
        try store.advance(by: .milliseconds(299))
        try store.receive(.found("b")) { $0.found = ["b"] }
        try store.receive(.found("123")) { $0.found.append("123") }
        try store.receive(.reminded(15)) { $0.reminders = [700] }
        try store.receive(.found("c")) { $0.found.append("c") }
        try store.receive(.found("a")) { $0.found.append("a") }
        try store.dispatch(.type("ca")) { $0.text = "ca" }
        try store.advance(by: .milliseconds(299))
        try store.advance(by: .milliseconds(1))
        try store.receive(.found("ca")) { $0.found.append("ca") }
        try store.finish()
        try store.advance(to: 700)
        try store.receive(.reminded(700)) { $0.reminders = [] }
        try store.finish()
    }

    /// Two thousand with the `TEST_SEEDS` of script/soak.
    private static let runs =
        100 * (ProcessInfo.processInfo.environment["TEST_SEEDS"].flatMap { Int($0) } ?? 4)

    @Test func manyRunsGiveOneResult() async throws {
        for _ in 0..<Self.runs {
            try playScenario()
            // Other tests have the thread in between.
            await Task.yield()
        }
    }

    @Test func whatSleepsIsNamedWhereNothingCame() throws {
        let store = store()
        try store.dispatch(.type("c")) { $0.text = "c" }
        try store.advance(by: .milliseconds(100))
        let failure = #expect(throws: TestStoreFailure.self) { try store.receive(.found("c")) }
        #expect(
            failure?.description
                == #"expected found("c"), actual none: it was not received, an effect sleeps for 200 ms"#)
    }

    @Test func aRestoredStateArmsItsTimers() throws {
        let timers = Timers<Search, SearchAction>("reminders") { state in
            state.reminders.map { StateTimer(EffectID("\($0)"), at: $0, .reminded($0)) }
        }
        let store = TestStore(
            Search(reminders: [40, 20]), reducer: SearchReducer(), middleware: [timers], clock: TestClock(now: 30))
        try store.finish()
        try store.resume()
        try store.receive(.reminded(20)) { $0.reminders = [40] }
        try store.advance(by: .milliseconds(10))
        try store.receive(.reminded(40)) { $0.reminders = [] }
    }
}
