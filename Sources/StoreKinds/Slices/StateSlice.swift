package import StoreHosting
import Stores

/// One slice of a state, that knows the key under which it stands in every kind that holds it.
package protocol StateSlice: Sendable, ObjectState, Restorable {
    static var key: StaticString { get }

    /// The slice at revision 0.
    init()
}

extension MemberVisitor where Self: ~Copyable {
    /// A slice as a member, under its key.
    mutating func slice(_ slice: some StateSlice) {
        member(type(of: slice).key, slice)
    }
}

extension PrivateStateEncoder {
    /// What a slice hides, under its key.
    mutating func slice(_ slice: some StateSlice) {
        part(type(of: slice).key, slice)
    }
}

extension PersistedValue {
    /// The slice that stands under its key.
    func slice<Slice: StateSlice>() throws(RestorationError) -> Slice {
        try member(Slice.key.description)
    }
}

/// The state of a kind that holds one slice.
package struct SingleSliceState<Slice: StateSlice>: HostedState, ObjectState, Restorable {
    package var slice = Slice()

    package init() {}

    package init(restoring kept: PersistedValue) throws(RestorationError) { slice = try kept.slice() }

    package func visit(_ members: inout some MemberVisitor & ~Copyable) { members.slice(slice) }

    package func visitHidden(_ members: inout PrivateStateEncoder) { members.slice(slice) }
}
