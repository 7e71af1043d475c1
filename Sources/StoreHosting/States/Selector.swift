public import JSON

/// A named value that is computed from the state.
public struct Selector<State: Sendable>: Sendable {
    /// The name by which clients select it: `?select=summary`.
    package let name: String
    /// The selected value, in a sentence.
    package let summary: String
    let write: @Sendable (State, inout JSONWriter) -> Void

    /// A selector under a name.
    ///
    /// - Parameters:
    ///   - name: the name by which clients select it.
    ///   - summary: the selected value, in a sentence.
    ///   - select: computes the value; called for each commit that a client observes, and for each read.
    public init<Value: JSONEncodable & Sendable>(
        _ name: String, _ summary: String, _ select: @escaping @Sendable (State) -> Value
    ) {
        self.init(name, summary) { state, json in json.value(select(state)) }
    }

    init(_ name: String, _ summary: String, write: @escaping @Sendable (State, inout JSONWriter) -> Void) {
        self.name = name
        self.summary = summary
        self.write = write
    }
}
