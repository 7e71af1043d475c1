/// How the states of a kind are persisted and restored; see ``Restorable``.
@usableFromInline
package struct StatePersistence<State: Sendable>: Sendable {
    /// A state, and whether all of its members were persisted.
    typealias Restored = (state: State, isComplete: Bool)

    let restore: @Sendable (JSONValue.Persisted) throws(RestorationError) -> Restored
    private let encodePrivate: @Sendable (UnsafePointer<State>, inout JSONValue.PrivateEncoder) -> Void

    init(
        restore: @escaping @Sendable (JSONValue.Persisted) throws(RestorationError) -> Restored,
        encodePrivate: @escaping @Sendable (UnsafePointer<State>, inout JSONValue.PrivateEncoder) -> Void
    ) {
        self.restore = restore
        self.encodePrivate = encodePrivate
    }

    /// Encodes the private members of `state` as one object, with `$schema` unless the schema is 1.
    func encodePrivate(_ state: UnsafePointer<State>, schema: Int, into members: inout JSONValue.PrivateEncoder) {
        members.open()
        if schema > 1 { members.member("$schema", schema) }
        encodePrivate(state, &members)
        members.close()
    }
}

extension StatePersistence where State: Restorable {
    /// Uses the methods of ``Restorable``.
    package init() {
        restore = { persisted throws(RestorationError) in (try State(restoring: persisted), true) }
        encodePrivate = { state, members in
            state.withMemoryRebound(to: InPlace<State>.self, capacity: 1) {
                $0.pointee.encodePrivate(into: &members)
            }
        }
    }
}

extension InPlace where Value: Restorable {
    borrowing func encodePrivate(into members: inout JSONValue.PrivateEncoder) { value.encodePrivate(into: &members) }
}
