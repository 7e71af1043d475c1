package import JSON
package import StoreHosting

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
    package init(restoring persisted: JSONValue.Persisted) throws(RestorationError) {
        self.init(
            id: try persisted.member("id", in: Self.idRange), title: try persisted.member("title"),
            due: try persisted.member(ifPresent: "due"))
        isDone = try persisted.member("isDone")
    }
}
