package import JSON

/// Something to be done.
package struct PlannedTask: Sendable, Equatable, Identifiable {
    package let id: Int
    package var title: String
    /// The day by which it is to be done, `YYYY-MM-DD`.
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
