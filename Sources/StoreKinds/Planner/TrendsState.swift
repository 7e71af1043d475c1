package import JSON

/// How much was done.
package struct TrendsState: StateSlice, Equatable {
    package static let key: StaticString = "trends"

    package var added = 0
    package var completed = 0
    package var removed = 0

    package init() {}

    package func encode(into json: inout JSONWriter) {
        json.object { json in
            json.member("added", added)
            json.member("completed", completed)
            json.member("removed", removed)
        }
    }
}
