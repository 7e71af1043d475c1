import Stores
import Testing

@Suite struct InterceptionTests {
    /// Notes what it sees, and treats numbers in its own way.
    private struct Guard: Interceptor {
        let name: String
        let log: Recorder<String>
        var treat: @Sendable (Int, Tally) -> Interception<TallyAction> = { _, _ in .pass }

        func intercept(_ action: TallyAction, in state: Tally) -> Interception<TallyAction> {
            guard case .add(let number) = action else { return .pass }
            log.record("\(name) before \(number) in \(state.values)")
            return treat(number, state)
        }

        func respond(to commit: borrowing Commit<Tally, TallyAction>) -> Effect<TallyAction> {
            guard case .add(let number) = commit.action else { return .none }
            log.record("\(name) after \(number) in \(commit.state.values)")
            return .none
        }
    }

    private let log = Recorder<String>()

    private func store(
        _ treat: @escaping @Sendable (Int, Tally) -> Interception<TallyAction>
    ) -> Store<Tally, TallyAction> {
        .tally(Guard(name: "a", log: log, treat: treat), Guard(name: "b", log: log))
    }

    @Test func severalSeeAnActionAndItsCommitInTheDeclaredOrder() {
        let store = store { _, _ in .pass }
        store.dispatch(.add(1))
        #expect(log.values == ["a before 1 in []", "b before 1 in []", "a after 1 in [1]", "b after 1 in [1]"])
    }

    @Test func subscribersAreCalledBeforeMiddlewares() {
        let store = store { _, _ in .pass }
        let subscription = store.subscribe { [log] in log.record("received \($0.revision)") }
        store.dispatch(.add(1))
        #expect(log.values.suffix(3) == ["received 1", "a after 1 in [1]", "b after 1 in [1]"])
        withExtendedLifetime(subscription) {}
    }

    @Test func aReplacedActionIsTheOneThatTheNextSeesAndThatIsCommitted() {
        let store = store { number, _ in .replace(.add(number * 10)) }
        let received = Recorder<TallyAction>()
        let subscription = store.subscribe { received.record($0.action) }
        store.dispatch(.add(1))
        #expect(log.values == ["a before 1 in []", "b before 10 in []", "a after 10 in [10]", "b after 10 in [10]"])
        #expect(received.values == [.add(10)])
        withExtendedLifetime(subscription) {}
    }

    @Test func aStoppedActionEndsAsIgnored() {
        let store = store { _, _ in .stop }
        #expect(store.dispatch(.add(1)).outcome == .ignored)
        #expect(store.revision == 0)
        #expect(log.values == ["a before 1 in []"])
    }

    @Test func aRejectedActionEndsAndItsSenderGetsTheReason() {
        let store = store { _, _ in .reject("not-you") }
        #expect(store.dispatch(.add(1)).outcome == .rejected("not-you", index: 0))
        #expect(store.revision == 0)
        #expect(log.values == ["a before 1 in []"])
    }

    @Test func inABatchEachActionIsSeenInTheStateThatThoseBeforeItLedTo() {
        let store = store { number, state in
            switch number {
            case 2: .replace(.add(20))
            case 3: state.values == [1, 20] ? .stop : .pass
            default: .pass
            }
        }
        let receipt = store.dispatch(batch: [.add(1), .add(2), .add(3), .add(4)])
        #expect(receipt.outcome == .committed)
        #expect(receipt.revision == 3)
        #expect(store.state.values == [1, 20, 4])
    }

    @Test func aRejectionInABatchRejectsAllOfItAndNamesTheIndex() {
        let store = store { number, _ in number == 3 ? .reject("not-three") : .pass }
        let receipt = store.dispatch(batch: [.add(1), .skip, .add(3), .add(4)])
        #expect(receipt.outcome == .rejected("not-three", index: 2))
        #expect(store.state == Tally())
        #expect(!log.values.contains { $0.contains("after") })
    }

    @Test func whatAnEffectSendsIsSeenToo() async {
        let store = Store.tally(
            Guard(name: "a", log: log) { number, _ in number == 5 ? .reject("no-five") : .pass },
            MiddlewareFunction.working { number, emitter in
                emitter.emit(.add(5))
                return .add(number)
            })
        await store.dispatch(.start(1)).settled()
        #expect(store.state.values == [1])
    }
}

@Suite struct ScopedMiddlewareTests {
    private struct Desk: Sendable, Equatable {
        var tally = Tally()
        var other = 0
    }

    private enum DeskAction: Sendable, Equatable {
        case tally(TallyAction)
        case other
    }

    private struct Rules: Reducer {
        func decide(_ action: DeskAction, in state: Desk) -> Decision {
            switch action {
            case .tally(let action): TallyReducer().decide(action, in: state.tally)
            case .other: .accept
            }
        }

        func reduce(_ state: inout Desk, _ action: DeskAction) {
            switch action {
            case .tally(let action): TallyReducer().reduce(&state.tally, action)
            case .other: state.other += 1
            }
        }
    }

    private struct Part: Interceptor {
        let seen: Recorder<[Int]>

        func intercept(_ action: TallyAction, in state: Tally) -> Interception<TallyAction> {
            seen.record(state.values)
            switch action {
            case .add(1): return .replace(.add(11))
            case .add(2): return .reject("no-two")
            case .add(3): return .stop
            default: return .pass
            }
        }

        func respond(to commit: borrowing Commit<Tally, TallyAction>) -> Effect<TallyAction> {
            seen.record(commit.state.values + [commit.revision])
            return commit.action == .start(7) ? .run("part.work") { .add(7) } : .none
        }

        func resume(_ state: Tally) -> Effect<TallyAction> { .dispatch(.add(9)) }
    }

    private let seen = Recorder<[Int]>()

    private func store() -> Store<Desk, DeskAction> {
        let path = CasePath<DeskAction, TallyAction>(
            embed: { .tally($0) }, extract: { if case .tally(let action) = $0 { $1(action) } })
        return Store(Desk(), reducer: Rules(), middleware: [Part(seen: seen).scoped(\.tally, path)])
    }

    @Test func itSeesItsSliceAndTheActionsOfItsCaseOnly() {
        let store = store()
        store.dispatch(.other)
        #expect(seen.values.isEmpty)
        store.dispatch(.tally(.add(5)))
        #expect(seen.values == [[], [5, 2]])
    }

    @Test func itReplacesStopsAndRejectsLikeAnyOther() {
        let store = store()
        #expect(store.dispatch(.tally(.add(1))).outcome == .committed)
        #expect(store.dispatch(.tally(.add(2))).outcome == .rejected("no-two", index: 0))
        #expect(store.dispatch(.tally(.add(3))).outcome == .ignored)
        #expect(store.state.tally.values == [11])
    }

    @Test func actionsOfItsEffectsAreEmbedded() async {
        let store = store()
        let receipt = store.dispatch(.tally(.start(7)))
        #expect(receipt.effects == ["part.work"])
        await receipt.settled()
        #expect(store.state.tally.values == [7])
    }

    @Test func itResumesFromItsSlice() {
        let store = store()
        store.resume()
        #expect(store.state.tally.values == [9])
    }
}
