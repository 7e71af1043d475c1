public import JSON

/// The part of a state that a client asks for.
public enum Selection: Sendable, Hashable {
    case whole
    /// The value that the pointer finds in the state's JSON; `null` where it finds nothing.
    case pointer(JSONPointer)
    /// The value of a selector that the kind declares.
    case named(String)
}

/// A value computed of the state, under a name.
public struct Selector<State: Sendable>: Sendable {
    public let name: String
    public let summary: String
    let write: @Sendable (State, inout JSONWriter) -> Void

    public init<Value: JSONEncodable & Sendable>(
        _ name: String, _ summary: String, _ select: @escaping @Sendable (State) -> Value
    ) {
        self.name = name
        self.summary = summary
        write = { state, json in json.value(select(state)) }
    }
}

/// A state that a server can host: how it begins and how it looks from outside.
///
/// What `encode(into:)` leaves out, a password say, never leaves the process.
public protocol HostedState: Sendable, JSONEncodable {
    /// The state at revision 0.
    init()
}
