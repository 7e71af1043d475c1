package import JSON
package import Stores

/// Something to be done.
package struct PlannedTask: Sendable, Equatable, Identifiable {
    /// No session comes as far, and one that goes on from there still has ids to give.
    package static let idRange = 1...Int.max / 2

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

extension PlannedTask: Restorable {
    package init(restoring kept: KeptValue) throws(RestorationFailure) {
        self.init(
            id: try kept.member("id", in: Self.idRange), title: try kept.member("title"),
            due: try kept.member(ifPresent: "due"))
        isDone = try kept.member("isDone")
    }
}
