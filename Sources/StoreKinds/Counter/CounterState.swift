package import Stores

/// A number that goes up and down.
package struct CounterState: StateSlice, Equatable {
    package static let key: StaticString = "counter"

    package var count = 0

    package init() {}

    package init(restoring kept: KeptValue) throws(RestorationFailure) { count = try kept.member("count") }

    package func visit(_ members: inout some StateMembers & ~Copyable) {
        members.member("count", count)
    }
}
