package import StoreHosting
import Stores

/// A slice of a state. It has the same key in all kinds that contain it.
package protocol StateSlice: Sendable, ObjectState, Restorable {
    static var key: StaticString { get }

    /// The initial slice.
    init()
}

extension MemberVisitor where Self: ~Copyable {
    /// Encodes a slice as the member with its key.
    mutating func slice(_ slice: some StateSlice) {
        member(type(of: slice).key, slice)
    }
}

extension PrivateStateEncoder {
    /// Encodes the private state of a slice as the member with its key.
    mutating func slice(_ slice: some StateSlice) {
        part(type(of: slice).key, slice)
    }
}

extension PersistedValue {
    /// Restores the slice with its key.
    func slice<Slice: StateSlice>() throws(RestorationError) -> Slice {
        try member(Slice.key.description)
    }
}

/// The state of a kind that holds one slice.
package struct SingleSliceState<Slice: StateSlice>: HostedState, ObjectState, Restorable {
    package var slice = Slice()

    package init() {}

    package init(restoring persisted: PersistedValue) throws(RestorationError) { slice = try persisted.slice() }

    package func visitMembers(_ members: inout some MemberVisitor & ~Copyable) { members.slice(slice) }

    package func encodePrivate(into members: inout PrivateStateEncoder) { members.slice(slice) }
}
