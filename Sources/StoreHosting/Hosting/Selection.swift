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
    /// What it selects, in a sentence.
    public let summary: String
    let write: @Sendable (State, inout JSONWriter) -> Void

    /// A selector under a name.
    ///
    /// - Parameters:
    ///   - name: the name by which clients select it.
    ///   - summary: what it selects, in a sentence.
    ///   - select: computes the value; called for each commit that a client observes, and for each read.
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
///
/// One that is a ``ObjectState`` too has its changes found member by member; any other is compared as a whole with what it
/// was, which takes time in its size.
///
/// One that is ``Restorable`` too can be kept where it outlasts the process; any other is held in memory alone.
public protocol HostedState: Sendable, JSONEncodable {
    /// The state at revision 0.
    init()

    /// Shows the finder what it compares; as said above unless it is written otherwise.
    func findChanges(_ finder: inout StateDiffer)

    /// How it is kept and read back; nil for one that is not ``Restorable``.
    static var restoration: StatePersistence<Self>? { get }
}

extension HostedState {
    @inlinable
    public func findChanges(_ finder: inout StateDiffer) { finder.whole(self) }
}

extension HostedState where Self: ObjectState {
    @inlinable
    public func findChanges(_ finder: inout StateDiffer) { visit(&finder) }
}
