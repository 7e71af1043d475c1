public import JSON

/// A state whose JSON and changes a server can show.
///
/// Members that `encode(into:)` leaves out, such as a password, are never sent to clients.
///
/// The changes of an ``ObjectState`` are found member by member. Any other state is compared as a whole, in time
/// proportional to its size.
@usableFromInline
package protocol DiffableState: Sendable, JSONEncodable {
    /// Passes the parts of the state to `differ`, which compares them. By default the whole state, or each member of an
    /// ``ObjectState``.
    func findChanges(_ differ: inout StateDiffer)
}

extension DiffableState {
    @inlinable
    package func findChanges(_ differ: inout StateDiffer) { differ.whole(self) }
}

extension DiffableState where Self: ObjectState {
    @inlinable
    package func findChanges(_ differ: inout StateDiffer) { visitMembers(&differ) }
}
