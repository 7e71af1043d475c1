import Observation

/// The key paths by which views follow a store. To make one in a generic type takes microseconds, so they are made once.
@MainActor
struct ObservedPaths<State: Sendable> {
    let state = \RemoteStore<State>.state
    let confirmed = \RemoteStore<State>.confirmed
    let connection = \RemoteStore<State>.connection
    let pending = \RemoteStore<State>.pending
    let refusals = \RemoteStore<State>.refusals
}
