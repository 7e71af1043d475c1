package import JSON

/// A number that goes up and down.
package struct CounterState: StateSlice, Equatable {
    package static let key: StaticString = "counter"

    package var count = 0

    package init() {}

    package func encode(into json: inout JSONWriter) {
        json.object { $0.member("count", count) }
    }
}
