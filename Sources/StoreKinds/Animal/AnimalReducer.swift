package import Stores

/// Shows that a fetch is under way, then its result; it does not fetch.
package struct AnimalReducer: Reducer {
    package init() {}

    package func decide(_ action: AnimalAction, in state: AnimalState) -> Decision {
        switch action {
        case .fetchAnimal: .accept
        case .ackError: state.error == nil ? .ignore : .accept
        case .cancelFetch, .setCurrentAnimal, .fetchFailed: state.isLoading ? .accept : .ignore
        }
    }

    package func reduce(_ state: inout AnimalState, _ action: AnimalAction) {
        switch action {
        case .fetchAnimal:
            // Of a fetch that replaces another, what the first began with comes back.
            if !state.isLoading { state.shownBefore = state.currentAnimal }
            state.currentAnimal = AnimalState.loadingText
            state.isLoading = true
            state.error = nil
        case .cancelFetch: state.endFetch(showing: state.shownBefore)
        case .ackError: state.error = nil
        case .setCurrentAnimal(let animal): state.endFetch(showing: animal)
        case .fetchFailed(let error):
            state.endFetch(showing: state.shownBefore)
            state.error = error
        }
    }
}

extension AnimalState {
    fileprivate mutating func endFetch(showing animal: String) {
        currentAnimal = animal
        isLoading = false
        shownBefore = ""
    }
}
