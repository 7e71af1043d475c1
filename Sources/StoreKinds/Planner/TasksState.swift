package import JSON
package import StoreHosting
package import Stores

/// The tasks, normalized: each task exists once, and lists hold ids.
package struct TasksState: StateSlice, Equatable {
    package static let key: StaticString = "tasks"

    package var table = EntityTable<PlannedTask>()
    /// The ids of the favourites, in the order in which they were added.
    @Tracked package var favorited: [Int] = []
    /// The next id. Ids are never reused, even if their task is removed.
    package var nextID = 1

    package init() {}

    package init(restoring persisted: PersistedValue) throws(RestorationError) {
        table = try persisted.table()
        favorited = try persisted.member("favorited")
        guard Set(favorited).count == favorited.count, favorited.allSatisfy(table.contains) else {
            throw persisted.unreadable("must name tasks, each once", below: "favorited")
        }
        nextID = try persisted.privateMember("nextID", in: PlannedTask.idRange)
        guard table.ids.allSatisfy({ $0 < nextID }) else {
            throw persisted.unreadable("must be below the next id", below: "ids")
        }
    }

    package func visitMembers(_ members: inout some MemberVisitor & ~Copyable) {
        members.members(of: table)
        members.member("favorited", favorited, stamp: $favorited)
    }

    package func encodePrivate(into members: inout PrivateStateEncoder) { members.member("nextID", nextID) }
}

/// A task.
package struct PlannedTask: Sendable, Equatable, Identifiable {
    /// The maximum id. No session reaches it, and a restored session at the maximum can still add tasks.
    package static let idRange = 1...Int.max / 2

    package let id: Int
    package var title: String
    /// The due day, `YYYY-MM-DD`.
    package var due: String?
    package var isDone = false

    package init(id: Int, title: String, due: String?) {
        self.id = id
        self.title = title
        self.due = due
    }
}

extension PlannedTask: JSONEncodable {
    package func encode(into json: inout JSONWriter) {
        json.object { json in
            json.member("id", id)
            json.member("title", title)
            json.member("due", ifPresent: due)
            json.member("isDone", isDone)
        }
    }
}

extension PlannedTask: JSONSchemaProviding {
    package static var jsonSchema: JSONSchema {
        .object([
            .required("id", .integer(idRange)), .required("title", .string()), .optional("due", .string(format: .date)),
            .required("isDone", .boolean),
        ])
    }
}

extension PlannedTask: Restorable {
    package init(restoring persisted: PersistedValue) throws(RestorationError) {
        self.init(
            id: try persisted.member("id", in: Self.idRange), title: try persisted.member("title"),
            due: try persisted.member(ifPresent: "due"))
        isDone = try persisted.member("isDone")
    }
}

/// The changes of an edit. Nil leaves a part unchanged.
package struct TaskChange: Sendable, Equatable {
    package var title: String?
    /// The new day; an inner nil removes the day.
    package var due: String??
    package var isDone: Bool?

    package init(title: String? = nil, due: String?? = nil, isDone: Bool? = nil) {
        self.title = title
        self.due = due
        self.isDone = isDone
    }

    func apply(to task: inout PlannedTask) {
        if let title { task.title = title }
        if let due { task.due = due }
        if let isDone { task.isDone = isDone }
    }
}
