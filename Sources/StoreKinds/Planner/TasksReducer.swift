package import StoreHosting
package import Stores

/// Changes the tasks. Every id in a list has its task.
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

/// The actions of the tasks slice.
package enum TasksAction: DeclaredAction, Equatable {
    case add(title: String, due: String?)
    case edit(id: Int, TaskChange)
    case favorite(id: Int)
    case unfavorite(id: Int)
    case move(id: Int, index: Int)
    case remove(id: Int)

    package static let catalogue = ActionSchema<TasksAction>([
        adding, editing, favoring, unfavoring, moving, removing,
    ])
}

extension TasksAction {
    private static var adding: ActionDeclaration<TasksAction> {
        ActionDeclaration(
            "tasks/add", "Adds a task under the next id, at the end.",
            fields: title, due.optional(),
            embed: { .add(title: $0, due: $1) },
            extract: { if case .add(let title, let due) = $0 { (title, due) } else { nil } })
    }

    private static var editing: ActionDeclaration<TasksAction> {
        ActionDeclaration(
            "tasks/edit", "Changes the members that are given, one at least; `no-such-task`.", members: 2...4,
            fields: id, title.optional(),
            due.nullable().described("The day by which it is to be done; null removes it.").optional(),
            Field.boolean("isDone", example: true).described("Whether it is done.").optional(),
            embed: { .edit(id: $0, TaskChange(title: $1, due: $2, isDone: $3)) },
            extract: { action in
                guard case .edit(let id, let change) = action else { return nil }
                return (id, change.title, change.due, change.isDone)
            })
    }

    private static var favoring: ActionDeclaration<TasksAction> {
        ActionDeclaration(
            "tasks/favorite", "Makes a task a favourite, the last of them; `no-such-task`.",
            fields: id,
            embed: { .favorite(id: $0) },
            extract: { if case .favorite(let id) = $0 { id } else { nil } })
    }

    private static var unfavoring: ActionDeclaration<TasksAction> {
        ActionDeclaration(
            "tasks/unfavorite", "Makes a task no favourite any more; `no-such-task`.",
            fields: id,
            embed: { .unfavorite(id: $0) },
            extract: { if case .unfavorite(let id) = $0 { id } else { nil } })
    }

    private static var moving: ActionDeclaration<TasksAction> {
        ActionDeclaration(
            "tasks/move", "Moves a task to another place in the list; `no-such-task`.",
            fields: id,
            .integer("index", atLeast: 0, example: 0).described("The new place from 0; past the end is the end."),
            embed: { .move(id: $0, index: $1) },
            extract: { if case .move(let id, let index) = $0 { (id, index) } else { nil } })
    }

    private static var removing: ActionDeclaration<TasksAction> {
        ActionDeclaration(
            "tasks/remove", "Removes a task, from the favourites too; `no-such-task`.",
            fields: id,
            embed: { .remove(id: $0) },
            extract: { if case .remove(let id) = $0 { id } else { nil } })
    }

    private static var id: Field<Int> { .integer("id", example: 1).described("The task's id.") }

    private static var title: Field<String> {
        .text("title", 1...500, example: "Water the plants").described("What is to be done, at most 500 characters.")
    }

    private static var due: Field<String> {
        .day("due", example: "2026-12-24").described("The day by which it is to be done.")
    }
}
