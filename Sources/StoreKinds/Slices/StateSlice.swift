package import StoreHosting
import Stores

/// One slice of a state, that knows the key under which it stands in every kind that holds it.
package protocol StateSlice: Sendable, StateObject, Restorable {
    static var key: StaticString { get }

    /// The slice at revision 0.
    init()
}

extension StateMembers where Self: ~Copyable {
    /// A slice as a member, under its key.
    mutating func slice(_ slice: some StateSlice) {
        member(type(of: slice).key, slice)
    }
}

extension HiddenMembers {
    /// What a slice hides, under its key.
    mutating func slice(_ slice: some StateSlice) {
        part(type(of: slice).key, slice)
    }
}

extension KeptValue {
    /// The slice that stands under its key.
    func slice<Slice: StateSlice>() throws(RestorationFailure) -> Slice {
        try member(Slice.key.description)
    }
}

/// The state of a kind that holds one slice.
package struct Alone<Slice: StateSlice>: HostedState, StateObject, Restorable {
    package var slice = Slice()

    package init() {}

    package init(restoring kept: KeptValue) throws(RestorationFailure) { slice = try kept.slice() }

    package func visit(_ members: inout some StateMembers & ~Copyable) { members.slice(slice) }

    package func visitHidden(_ members: inout HiddenMembers) { members.slice(slice) }
}
