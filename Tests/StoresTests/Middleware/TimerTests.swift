import Stores
import StoresTesting
import Testing

@Suite struct TimerTests {
    /// Deadlines stand in the state: `set` puts one there, and its action takes it out.
    private struct Alarms: Sendable, Equatable {
        var due: [Int: Int] = [:]
        var fired: [Int] = []
    }

    private enum AlarmAction: Sendable {
        case set(Int, at: Int)
        case remove(Int)
        case ring(Int)
    }

    /// - `10...19` are ignored, `20...29` are rejected, `30...39` stay in the state.
    private struct Rules: Reducer {
        func decide(_ action: AlarmAction, in state: Alarms) -> Decision {
            switch action {
            case .ring(10...19): .ignore
            case .ring(20...29): .reject("not-now")
            default: .accept
            }
        }

        func reduce(_ state: inout Alarms, _ action: AlarmAction) {
            switch action {
            case .set(let number, let moment): state.due[number] = moment
            case .remove(let number): state.due[number] = nil
            case .ring(let number):
                state.fired.append(number)
                if !(30...39).contains(number) { state.due[number] = nil }
            }
        }
    }

    private let scheduler = TestScheduler()

    private static func timers(_ group: EffectID, _ numbers: ClosedRange<Int>) -> Timers<Alarms, AlarmAction> {
        Timers(group) { state in
            state.due.filter { numbers.contains($0.key) }.map { number, moment in
                StateTimer(EffectID("alarm.\(number)"), at: moment, .ring(number))
            }
        }
    }

    private func store(
        _ due: [Int: Int] = [:], _ groups: Timers<Alarms, AlarmAction>...
    ) -> Store<Alarms, AlarmAction> {
        Store(
            Alarms(due: due), reducer: Rules(), middleware: groups.isEmpty ? [Self.timers("all", 0...99)] : groups,
            environment: scheduler.environment())
    }

    @Test func aTimerIsArmedAtItsCommitAndFiresOnce() {
        let store = store()
        let receipt = store.dispatch(.set(1, at: 100))
        scheduler.advance(by: 99)
        #expect(store.state.fired == [])
        scheduler.advance(by: 1)
        #expect(store.state.fired == [1])
        scheduler.advance(by: 1000)
        #expect(store.state.fired == [1])
        #expect(receipt.outcome == .committed)
    }

    @Test func aTimerIsNotAnEffectAndSettledDoesNotWaitForIt() {
        let store = store()
        let receipt = store.dispatch(.set(1, at: 100))
        #expect(receipt.effects == [])
        #expect(receipt.isSettled)
    }

    @Test func timersAreArmedAgainInARestoredStore() {
        let store = store([1: 100, 2: 50])
        scheduler.advance(by: 60)
        #expect(store.state.fired == [])
        store.resume()
        scheduler.run()
        #expect(store.state.fired == [2])
        scheduler.advance(by: 40)
        #expect(store.state.fired == [2, 1])
    }

    @Test func resumingTwiceFiresNothingTwice() {
        let store = store([1: 100, 30: 50])
        store.resume()
        store.resume()
        scheduler.advance(by: 60)
        store.resume()
        scheduler.advance(by: 100)
        #expect(store.state.fired == [30, 1])
    }

    @Test func timersFireInTheOrderOfTheirDeadlines() {
        let store = store()
        for (number, moment) in [(1, 30), (2, 10), (3, 20)] { store.dispatch(.set(number, at: moment)) }
        scheduler.advance(by: 100)
        #expect(store.state.fired == [2, 3, 1])
    }

    @Test func pastDeadlinesFireAtOnceInOrder() {
        let store = store([1: -30, 2: -10, 3: -20, 4: 0])
        store.resume()
        scheduler.run()
        #expect(store.state.fired == [1, 3, 2, 4])
    }

    @Test func aMovedTimerFiresAtItsNewDeadlineOnly() {
        let store = store()
        store.dispatch(.set(1, at: 100))
        store.dispatch(.set(1, at: 200))
        scheduler.advance(by: 150)
        #expect(store.state.fired == [])
        store.dispatch(.set(1, at: 160))
        scheduler.advance(by: 10)
        #expect(store.state.fired == [1])
        scheduler.advance(by: 100)
        #expect(store.state.fired == [1])
    }

    @Test func aRemovedTimerDoesNotFire() {
        let store = store()
        store.dispatch(.set(1, at: 100))
        store.dispatch(.set(2, at: 110))
        store.dispatch(.remove(1))
        scheduler.advance(by: 200)
        #expect(store.state.fired == [2])
    }

    @Test func aDueTimerThatIsRemovedFirstDoesNotFire() {
        let store = store()
        store.dispatch(.set(1, at: 100))
        scheduler.run()
        scheduler.clock.advance(to: 100)
        store.dispatch(.remove(1))
        scheduler.run()
        #expect(store.state.fired == [])
    }

    @Test func aTimerBeforeTheArmedOneFiresFirst() {
        let store = store()
        store.dispatch(.set(1, at: 100))
        scheduler.run()
        store.dispatch(.set(2, at: 50))
        scheduler.advance(by: 50)
        #expect(store.state.fired == [2])
        scheduler.advance(by: 50)
        #expect(store.state.fired == [2, 1])
    }

    @Test(arguments: [10, 20]) func anActionThatIsIgnoredOrRejectedDoesNotStopTheNextTimer(_ first: Int) {
        let store = store([first: 10, 1: 20])
        store.resume()
        scheduler.advance(by: 10)
        scheduler.advance(by: 10)
        #expect(store.state.fired == [1])
        scheduler.advance(by: 100)
        #expect(store.revision == 1)
    }

    @Test func aDeadlineThatStaysInTheStateFiresOnce() {
        let store = store()
        store.dispatch(.set(30, at: 10))
        scheduler.advance(by: 10)
        store.dispatch(.set(1, at: 50))
        scheduler.advance(by: 100)
        #expect(store.state.fired == [30, 1])
        store.dispatch(.set(30, at: 200))
        scheduler.advance(by: 200)
        #expect(store.state.fired == [30, 1, 30])
    }

    @Test func aDeadlineThatIsSetAgainFiresAgain() {
        let store = store()
        store.dispatch(.set(1, at: 10))
        scheduler.advance(by: 10)
        store.dispatch(.set(1, at: 10))
        scheduler.run()
        #expect(store.state.fired == [1, 1])
    }

    @Test func twoGroupsDoNotDisturbEachOther() {
        let store = store([:], Self.timers("low", 0...49), Self.timers("high", 50...99))
        store.dispatch(.set(1, at: 100))
        store.dispatch(.set(51, at: 100))
        store.dispatch(.set(52, at: 40))
        scheduler.run()
        #expect(scheduler.clock.sleepers == [40, 100])
        scheduler.advance(by: 100)
        #expect(store.state.fired.first == 52)
        #expect(store.state.fired.sorted() == [1, 51, 52])
    }

    @Test func waitingCostsOneSleepHoweverManyTimersThereAre() {
        let due = Dictionary(uniqueKeysWithValues: (0..<100).map { ($0, 1000 - $0) })
        let store = store(due)
        store.resume()
        scheduler.run()
        #expect(scheduler.clock.sleepers == [901])
        store.dispatch(.remove(99))
        scheduler.run()
        #expect(scheduler.clock.sleepers == [902])
    }

    @Test func timersAreDisarmedWhenTheStoreEnds() {
        let store = store([1: 10], Self.timers("low", 0...49), Self.timers("high", 50...99))
        store.resume()
        scheduler.run()
        #expect(scheduler.clock.sleepers == [10])
        store.end()
        store.resume()
        scheduler.run()
        #expect(scheduler.clock.sleepers == [])
        scheduler.advance(by: 100)
        #expect(store.revision == 0)
    }

    @Test func timersAreDisarmedWhenTheStoreIsForgotten() {
        var store: Store<Alarms, AlarmAction>? = store([1: 10])
        weak let watched = store
        store?.resume()
        scheduler.run()
        store = nil
        #expect(watched == nil)
        scheduler.run()
        #expect(scheduler.clock.sleepers == [])
    }

    @Test func whatATimerSendsComesFromAnEffectCausedByTheCommitThatArmedIt() {
        let store = store()
        let fired = Recorder<String>()
        let subscription = store.subscribe { fired.record("\($0.revision) \($0.origin) \($0.cause ?? -1)") }
        store.dispatch(.set(1, at: 10))
        store.dispatch(.set(2, at: 100))
        scheduler.advance(by: 10)
        #expect(fired.values == ["1 client -1", "2 client -1", "3 effect 1"])
        withExtendedLifetime(subscription) {}
    }

    @Test func cancellingAnEffectOfTheSameNameLeavesATimer() {
        let store = Store(
            Alarms(), reducer: Rules(),
            middleware: [
                Self.timers("all", 0...99),
                MiddlewareFunction { commit in
                    if case .remove = commit.action { .cancel("alarm.1") } else { .none }
                },
            ], environment: scheduler.environment())
        store.dispatch(.set(1, at: 10))
        store.dispatch(.remove(2))
        scheduler.advance(by: 10)
        #expect(store.state.fired == [1])
    }

    @Test func anAsyncStoreRunsTimersToo() {
        let store = AsyncStore(
            Alarms(due: [1: 30, 10: 20]), reducer: Asynchronous(Rules()), middleware: [Self.timers("all", 0...99)],
            environment: scheduler.environment())
        store.resume()
        store.send(.set(2, at: 10))
        scheduler.advance(by: 100)
        #expect(store.state.fired == [2, 1])
        #expect(scheduler.clock.sleepers == [])
    }
}
