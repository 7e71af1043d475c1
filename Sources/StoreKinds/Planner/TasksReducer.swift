package import Stores

/// Keeps the tasks; every id in a list has its task.
package struct TasksReducer: Reducer {
    package init() {}

    package func decide(_ action: TasksAction, in state: TasksState) -> Decision {
        switch action {
        case .add: .accept
        case .edit(let id, _), .move(let id, _), .remove(let id):
            state.table.contains(id) ? .accept : Self.unknown
        case .favorite(let id): Self.decide(id, state) { !$0.contains(id) }
        case .unfavorite(let id): Self.decide(id, state) { $0.contains(id) }
        }
    }

    package func reduce(_ state: inout TasksState, _ action: TasksAction) {
        switch action {
        case .add(let title, let due):
            state.table.insert(PlannedTask(id: state.nextID, title: title, due: due))
            state.nextID += 1
        case .edit(let id, let change): state.table.update(id) { change.apply(to: &$0) }
        case .favorite(let id): state.favorited.append(id)
        case .unfavorite(let id): state.favorited.removeAll { $0 == id }
        case .move(let id, let index): state.table.move(id, to: index)
        case .remove(let id):
            state.table.remove(id)
            state.favorited.removeAll { $0 == id }
        }
    }

    private static let unknown = Decision.reject("no-such-task")

    private static func decide(_ id: Int, _ state: TasksState, where hasWork: ([Int]) -> Bool) -> Decision {
        guard state.table.contains(id) else { return unknown }
        return hasWork(state.favorited) ? .accept : .ignore
    }
}
