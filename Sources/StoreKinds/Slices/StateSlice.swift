package import Stores

/// One slice of a state, that knows the key under which it stands in every kind that holds it.
package protocol StateSlice: Sendable, StateObject {
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

/// The state of a kind that holds one slice.
package struct Alone<Slice: StateSlice>: HostedState, StateObject {
    package var slice = Slice()

    package init() {}

    package func visit(_ members: inout some StateMembers & ~Copyable) { members.slice(slice) }
}
