import Stores
import Testing

struct Ferry: Sendable, Equatable {
    var cars = 0
}

enum FerryAction: Sendable, Equatable {
    case board
    case land
}

struct FerryReducer: Reducer {
    func decide(_ action: FerryAction, in state: Ferry) -> Decision {
        switch action {
        case .board: state.cars < 3 ? .accept : .reject("full")
        case .land: state.cars > 0 ? .accept : .ignore
        }
    }

    func reduce(_ state: inout Ferry, _ action: FerryAction) {
        switch action {
        case .board: state.cars += 1
        case .land: state.cars = 0
        }
    }
}

struct Quay: Interceptor {
    let isOpen: @Sendable () -> Bool

    func intercept(_ action: FerryAction, in state: Ferry) -> Interception<FerryAction> {
        isOpen() ? .pass : .reject("closed")
    }

    func respond(to commit: borrowing Commit<Ferry, FerryAction>) -> Effect<FerryAction> { .none }
}

/// The samples of one store in the articles.
@Suite struct FerrySamples {
    @Test func dispatch() {
        let store = Store(Ferry(), reducer: FerryReducer())
        let receipt = store.dispatch(.board)
        #expect(receipt.outcome == .committed)
        #expect(receipt.revision == 1)
        #expect(store.read { $0.cars } == 1)
    }

    @Test func batch() {
        let store = Store(Ferry(), reducer: FerryReducer())
        #expect(store.dispatch(.land).outcome == .ignored)
        let receipt = store.dispatch(batch: [.board, .board, .board, .board])
        #expect(receipt.outcome == .rejected("full", index: 3))
        #expect(store.revision == 0)
    }

    @Test func observe() {
        let screen = Recorder<Int>()
        let store = Store(Ferry(), reducer: FerryReducer())
        let subscription = store.observe { ferry in screen.record(ferry.cars) }
        store.dispatch(.board)
        #expect(screen.values == [0, 1])
        subscription.cancel()
    }

    @Test func intercept() {
        let store = Store(Ferry(), reducer: FerryReducer(), middleware: [Quay { false }])
        #expect(store.dispatch(.board).outcome == .rejected("closed", index: 0))
    }

    @Test func log() {
        let lines = Recorder<String>()
        let log = CommitLogger<Ferry, FerryAction>(previousState: true) { commit in
            lines.record("\(commit.action): \(commit.previousState?.cars ?? 0) → \(commit.state.cars)")
        }
        let store = Store(Ferry(), reducer: FerryReducer(), middleware: [log])
        store.dispatch(.board)
        #expect(lines.values == ["board: 0 → 1"])
    }

    @Test func settle() async {
        let crossing = MiddlewareFunction<Ferry, FerryAction> { commit in
            commit.state.cars == 3 ? .run("ferry.cross") { .land } : .none
        }
        let store = Store(Ferry(cars: 2), reducer: FerryReducer(), middleware: [crossing])
        let receipt = store.dispatch(.board)
        #expect(receipt.effects == ["ferry.cross"])
        await receipt.settled()
        #expect(store.read { $0.cars } == 0)
    }

    @Test func reduceAsynchronously() async {
        let store = AsyncStore(Ferry(), reducer: Asynchronous(FerryReducer()))
        let receipt = await store.dispatch(.board)
        #expect(receipt.outcome == .committed)
    }

    @Test func observeAValue() {
        let ferry = ObservableStore(Ferry(), invariants: [Invariant("negative") { $0.cars >= 0 }])
        let outcome = ferry.update { $0.cars -= 1 }
        #expect(outcome == .rejected(Rejection("negative", isFault: true), index: 0))
        #expect(ferry.state.cars == 0)
    }

    @Test func undo() {
        let store = Store(History(Ferry()), reducer: Undoable(FerryReducer(), limit: 50))
        store.dispatch(.present(.board))
        store.dispatch(.undo)
        #expect(store.state.present.cars == 0)
        #expect(store.state.canRedo)
    }

    @Test func keepInvariants() {
        let reducer = Invariants([Invariant("too-heavy") { $0.cars <= 2 }], of: FerryReducer())
        let store = Store(Ferry(cars: 2), reducer: reducer)
        let fault = Rejection("too-heavy", isFault: true)
        #expect(store.dispatch(.board).outcome == .rejected(fault, index: 0))
    }
}
