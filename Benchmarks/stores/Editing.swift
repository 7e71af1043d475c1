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

/// A store with that many tasks.
private struct Board {
    private static let titles = ["Water the plants", "Feed the cat"]

    private let size: Int
    private let store: Store<TasksState, TaskEdit>
    private let seen = Note()
    private let subscription: Subscription

    init(_ size: Int) {
        var state = TasksState()
        for id in 1...size { state.table.insert(Task(id: id, title: Self.titles[0])) }
        self.size = size
        store = Store(state, reducer: TasksReducer())
        subscription = store.subscribe { [seen] in seen.write($0.revision + $0.state.favorited.count) }
    }

    func edit(times: Int) {
        var random: UInt32 = 2_463_534_242
        for turn in 0..<times {
            random ^= random << 13
            random ^= random >> 17
            random ^= random << 5
            let id = 1 + Int(random) % size
            store.dispatch(TaskEdit(id: id, title: Self.titles[turn & 1]))
        }
    }

    /// Edits a missing task, which is rejected.
    func editNothing(times: Int) {
        for _ in 0..<times { store.dispatch(TaskEdit(id: 0, title: Self.titles[1])) }
    }

    /// Checks the results.
    func end() {
        subscription.cancel()
        precondition(seen.value == store.revision, "the subscriber did not see every commit")
        precondition(store.dispatch(TaskEdit(id: 0, title: "")).outcome == .rejected("no-such-task", index: 0))
    }
}

/// Tasks by their ids, and the ids of the favourites.
private struct TasksState: Sendable {
    var table = EntityTable<Task>()
    var favorited: [Int] = []
}

private struct Task: Sendable, Equatable, Identifiable {
    let id: Int
    var title: String
    var due: String?
    var isDone = false
}

private struct TaskEdit: Sendable {
    let id: Int
    let title: String
}

private struct TasksReducer: Reducer {
    func decide(_ action: TaskEdit, in state: TasksState) -> Decision {
        state.table.contains(action.id) ? .accept : .reject("no-such-task")
    }

    func reduce(_ state: inout TasksState, _ action: TaskEdit) {
        state.table.update(action.id) { $0.title = action.title }
    }
}
