import StoreKinds
import Stores

/// Measures the edit of a random task of ten, a thousand and a hundred thousand, with one subscriber.
func measureTasks(_ stopwatch: Stopwatch) -> Numbers {
    var numbers: Numbers = [:]
    for size in [10, 1000, 100_000] {
        let board = Board(size)
        numbers["edit\(size)"] = stopwatch.nanoseconds(board.edit)
        numbers["reject\(size)"] = stopwatch.nanoseconds(board.editNothing)
        if size == 1000 { numbers["allocations"] = Stopwatch.allocations(board.edit) }
        board.end()
    }
    numbers["editTimes"] = numbers["edit100000"] / numbers["edit10"]
    numbers["rejectTimes"] = numbers["reject100000"] / numbers["reject10"]
    return numbers
}

/// The `planner` store with that many tasks.
private struct Board {
    private static let titles = ["Water the plants", "Feed the cat"]

    private let size: Int
    private let store: Store<PlannerState, PlannerAction>
    private let seen = Note()
    private let subscription: Subscription

    init(_ size: Int) {
        let reducer = PlannerReducer()
        var state = PlannerState()
        for _ in 0..<size { reducer.reduce(&state, .tasks(.add(title: Self.titles[0], due: nil))) }
        self.size = size
        store = Store(state, reducer: reducer)
        subscription = store.subscribe { [seen] in seen.write($0.revision + $0.state.trends.removed) }
    }

    func edit(times: Int) {
        var random: UInt32 = 2_463_534_242
        for turn in 0..<times {
            random ^= random << 13
            random ^= random >> 17
            random ^= random << 5
            let id = 1 + Int(random) % size
            store.dispatch(.tasks(.edit(id: id, TaskChange(title: Self.titles[turn & 1]))))
        }
    }

    /// Edits a missing task, which is rejected.
    func editNothing(times: Int) {
        for _ in 0..<times { store.dispatch(.tasks(.edit(id: 0, TaskChange(title: Self.titles[1])))) }
    }

    /// Checks the results.
    func end() {
        subscription.cancel()
        precondition(seen.value == store.revision, "the subscriber did not see every commit")
        precondition(store.dispatch(.tasks(.edit(id: 0, TaskChange()))).outcome == .rejected("no-such-task", index: 0))
    }
}
