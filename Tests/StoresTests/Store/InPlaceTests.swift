import Stores
import Testing

@Suite struct InPlaceTests {
    private struct Rows: Sendable {
        var values = Array(repeating: 0, count: 100_000)

        /// Where the elements stand: another place after a copy.
        var place: Int { values.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) } }
    }

    private enum RowAction: Sendable {
        case set(Int)
        case refuse
    }

    private struct Rules: Reducer {
        func decide(_ action: RowAction, in state: Rows) -> Decision {
            if case .refuse = action { .reject("refused") } else { .accept }
        }

        func reduce(_ state: inout Rows, _ action: RowAction) {
            if case .set(let place) = action { state.values[place] += 1 }
        }
    }

    private struct Reader: Interceptor {
        let sum: Recorder<Int>

        func intercept(_ action: RowAction, in state: Rows) -> Interception<RowAction> {
            sum.record(state.values[7])
            return .pass
        }

        func respond(to commit: borrowing Commit<Rows, RowAction>) -> Effect<RowAction> {
            sum.record(commit.state.values[7])
            return .run("work") { nil }
        }
    }

    private func places(of store: Store<Rows, RowAction>, _ actions: [RowAction]) -> Set<Int> {
        var places: Set = [store.read(\.place)]
        for action in actions {
            store.dispatch(action)
            places.insert(store.read(\.place))
        }
        return places
    }

    private func store(_ middleware: any Middleware<Rows, RowAction>...) -> Store<Rows, RowAction> {
        let store = Store(Rows(), reducer: Rules(), middleware: middleware)
        // The value that the store was made of may still be shared here.
        store.dispatch(.set(0))
        return store
    }

    @Test func aChangeNeverMovesALargeState() {
        let store = store()
        #expect(places(of: store, [.set(1), .refuse, .set(2), .refuse, .set(3)]).count == 1)
    }

    @Test func readingNeverMakesAChangeCopy() {
        let sum = Recorder<Int>()
        let store = store(Reader(sum: sum))
        let subscription = store.subscribe { sum.record($0.state.values[7]) }
        let observation = store.observe { sum.record($0.values[7]) }
        #expect(places(of: store, [.set(7), .refuse, .set(7), .set(7)]).count == 1)
        #expect(sum.values.last == 3)
        withExtendedLifetime((subscription, observation)) {}
    }

    @Test func actionsFromInsideChangeInPlaceToo() {
        let store = store(
            MiddlewareFunction { commit in
                if case .set(7) = commit.action { return .dispatch(.set(8)) }
                return .none
            })
        let subscription = store.subscribe { [weak store] commit in
            if case .set(8) = commit.action { store?.send(.set(9)) }
        }
        #expect(places(of: store, [.set(7), .set(7)]).count == 1)
        #expect(store.read { $0.values[9] } == 2)
        withExtendedLifetime(subscription) {}
    }

    @Test func aStoredCopyIsNotChanged() {
        let store = store()
        let kept = store.state
        store.dispatch(.set(5))
        #expect(kept.values[5] == 0)
        #expect(store.read { $0.values[5] } == 1)
    }
}
