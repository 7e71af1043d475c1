package import StoreHosting
package import Stores

/// The tasks, normalized: each task exists once, and lists hold ids. Every id in a list has its task.
package struct Tasks: Sendable, Equatable {
    package var table = EntityTable<PlannedTask>()
    /// The ids of the favourites, in the order in which they were added.
    @Tracked package var favorited: [Int] = []
    /// The next id. Ids are never reused, even if their task is removed.
    package var nextID = 1

    package init() {}

    package static let add = Action<Tasks, (String, String?)>(
        "add", "Adds a task under the next id, at the end.", title, due.optional()
    ) { tasks, title, due in
        tasks.table.insert(PlannedTask(id: tasks.nextID, title: title, due: due))
        tasks.nextID += 1
    }

    package static let edit = Action<Tasks, (Int, String?, String??, Bool?)>(
        "edit", "Changes the members that are given, one at least; `no-such-task`.",
        id, title.optional(),
        due.nullable().described("The day by which it is to be done; null removes it.").optional(),
        Field.boolean("isDone", example: true).described("Whether it is done.").optional(), members: 2...4,
        rules: .reject("no-such-task") { tasks, id, _, _, _ in !tasks.table.contains(id) }
    ) { tasks, id, title, due, isDone in
        tasks.table.update(id) { task in
            if let title { task.title = title }
            if let due { task.due = due }
            if let isDone { task.isDone = isDone }
        }
    }

    package static let favorite = Action<Tasks, Int>(
        "favorite", "Makes a task a favourite, the last of them; `no-such-task`.", id,
        rules: .reject("no-such-task") { tasks, id in !tasks.table.contains(id) },
        .ignore { tasks, id in tasks.favorited.contains(id) }
    ) { tasks, id in tasks.favorited.append(id) }

    package static let unfavorite = Action<Tasks, Int>(
        "unfavorite", "Makes a task no favourite any more; `no-such-task`.", id,
        rules: .reject("no-such-task") { tasks, id in !tasks.table.contains(id) },
        .ignore { tasks, id in !tasks.favorited.contains(id) }
    ) { tasks, id in tasks.favorited.removeAll { $0 == id } }

    package static let move = Action<Tasks, (Int, Int)>(
        "move", "Moves a task to another place in the list; `no-such-task`.",
        id, .integer("index", atLeast: 0, example: 0).described("The new place from 0; past the end is the end."),
        rules: .reject("no-such-task") { tasks, id, _ in !tasks.table.contains(id) }
    ) { tasks, id, index in tasks.table.move(id, to: index) }

    package static let remove = Action<Tasks, Int>(
        "remove", "Removes a task, from the favourites too; `no-such-task`.", id,
        rules: .reject("no-such-task") { tasks, id in !tasks.table.contains(id) }
    ) { tasks, id in
        tasks.table.remove(id)
        tasks.favorited.removeAll { $0 == id }
    }

    package static let elements = StoreElements<Tasks> {
        Member(table: \.table)
        Member("favorited", \._favorited)
        Member("nextID", \.nextID, .hidden)
        Check("favorited", "must name tasks, each once") { tasks in
            Set(tasks.favorited).count == tasks.favorited.count && tasks.favorited.allSatisfy(tasks.table.contains)
        }
        Check("nextID", "must be from \(PlannedTask.idRange.lowerBound) to \(PlannedTask.idRange.upperBound)") {
            PlannedTask.idRange.contains($0.nextID)
        }
        Check("ids", "must be below the next id") { tasks in tasks.table.ids.allSatisfy { $0 < tasks.nextID } }
        add
        edit
        favorite
        unfavorite
        move
        remove
    }

    private static var id: Field<Int> { .integer("id", example: 1).described("The task's id.") }

    private static var title: Field<String> {
        .text("title", 1...500, example: "Water the plants").described("What is to be done, at most 500 characters.")
    }

    private static var due: Field<String> {
        .day("due", example: "2026-12-24").described("The day by which it is to be done.")
    }
}
