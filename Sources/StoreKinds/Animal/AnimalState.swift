package import Stores

/// The animal on show, and how its fetching goes.
package struct AnimalState: StateSlice, Equatable {
    package static let key: StaticString = "animal"
    package static let loadingText = "Loading..."

    package var currentAnimal = ""
    package var isLoading = false
    package var error: CodedError<RemoteFailure.Code>?
    /// What was on show before the fetch under way, and comes back where that fetch brings nothing.
    package var shownBefore = ""

    package init() {}

    package init(restoring kept: KeptValue) throws(RestorationFailure) {
        currentAnimal = try kept.member("currentAnimal")
        isLoading = try kept.member("isLoading")
        error = try kept.member("error")
        shownBefore = try kept.hidden("shownBefore")
    }

    package func visit(_ members: inout some StateMembers & ~Copyable) {
        members.member("currentAnimal", currentAnimal)
        members.member("isLoading", isLoading)
        members.member("error", error)
    }

    package func visitHidden(_ members: inout HiddenMembers) { members.member("shownBefore", shownBefore) }
}
