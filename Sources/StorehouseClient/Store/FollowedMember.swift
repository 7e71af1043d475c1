import Observation
import Stores

/// A member of a state that was read, with its comparison and its notifications.
struct FollowedMember<State: Sendable> {
    let hasChanged: (_ old: State, _ new: State) -> Bool
    let access: @MainActor (RemoteStore<State>, ObservationRegistrar) -> Void
    let willChange: @MainActor (RemoteStore<State>, ObservationRegistrar) -> Void
    let didChange: @MainActor (RemoteStore<State>, ObservationRegistrar) -> Void

    @MainActor
    init<Value: Equatable>(_ member: KeyPath<State, Value>) {
        let path: KeyPath<RemoteStore<State>, Value> = \.[following: member]
        hasChanged = { !ExactComparison.areSame($0[keyPath: member], $1[keyPath: member]) }
        access = { $1.access($0, keyPath: path) }
        willChange = { $1.willSet($0, keyPath: path) }
        didChange = { $1.didSet($0, keyPath: path) }
    }
}
