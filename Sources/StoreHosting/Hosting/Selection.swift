public import JSON

/// The part of a state that a client asks for.
public enum Selection: Sendable, Hashable {
    /// The whole state.
    case root
    /// The value that the pointer finds in the state's JSON; `null` if it finds nothing.
    case pointer(JSONPointer)
    /// The value of a selector that the kind declares.
    case named(String)
}

/// A named value that is computed from the state.
public struct Selector<State: Sendable>: Sendable {
    /// The name by which clients select it: `?select=summary`.
    public let name: String
    /// The selected value, in a sentence.
    public let summary: String
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
        self.name = name
        self.summary = summary
        write = { state, json in json.value(select(state)) }
    }
}

/// A state that a server can host: its initial value and its JSON.
///
/// Members that `encode(into:)` leaves out, such as a password, are never sent to clients.
///
/// The changes of an ``ObjectState`` are found member by member. Any other state is compared as a whole, in time
/// proportional to its size.
///
/// A ``Restorable`` state can be persisted, so that it outlives the process. Any other lives in memory only.
public protocol HostedState: Sendable, JSONEncodable {
    /// The state at revision 0.
    init()

    /// Passes the parts of the state to `differ`, which compares them. By default the whole state, or each member of an
    /// ``ObjectState``.
    func findChanges(_ differ: inout StateDiffer)

    /// How the state is persisted and restored; nil if it is not ``Restorable``.
    static var restoration: StatePersistence<Self>? { get }
}

extension HostedState {
    @inlinable
    public func findChanges(_ differ: inout StateDiffer) { differ.whole(self) }
}

extension HostedState where Self: ObjectState {
    @inlinable
    public func findChanges(_ differ: inout StateDiffer) { visitMembers(&differ) }
}
