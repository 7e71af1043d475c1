/// A state that a server can host: its initial value and its JSON.
///
/// A ``Restorable`` state can be persisted, so that it outlives the process. Any other lives in memory only.
@usableFromInline
package protocol HostedState: DiffableState {
    /// The state at revision 0.
    init()

    /// How the state is persisted and restored; nil if it is not ``Restorable``.
    static var restoration: StatePersistence<Self>? { get }
}

extension HostedState {
    package static var restoration: StatePersistence<Self>? { nil }
}

extension HostedState where Self: Restorable {
    package static var restoration: StatePersistence<Self>? { StatePersistence() }
}
