package import Stores

/// How much was done.
package struct TrendsState: StateSlice, Equatable {
    package static let key: StaticString = "trends"

    package var added = 0
    package var completed = 0
    package var removed = 0

    package init() {}

    package func visit(_ members: inout some StateMembers & ~Copyable) {
        members.member("added", added)
        members.member("completed", completed)
        members.member("removed", removed)
    }
}
