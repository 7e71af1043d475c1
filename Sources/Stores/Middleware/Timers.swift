/// Runs the timers that the state describes. Their deadlines are points in time, so they survive a restart of the process.
///
/// After each commit, and when a store continues from a saved state, the middleware reads all timers from the state. The store
/// arms new timers, disarms those that are gone, and fires at once those whose deadline has passed. Each deadline fires once, in
/// the order of the deadlines. The reducer of the action removes the deadline from the state, or sets another. All timers of a
/// group together cost one waiting task. A timer is not an effect: it counts towards no limit, and `settled()` does not wait
/// for it.
///
/// Timers of a part are read after each commit too, whichever action made it. When the part is gone, so are its timers.
public struct Timers<State: Sendable, Action: Sendable>: Middleware {
    private let source: TimerSource<State, Action>

    /// A middleware for a group of timers.
    ///
    /// - Parameters:
    ///   - group: the name of the group, unique in the store.
    ///   - timers: all timers of a state. It is called after each commit, so it must be quick.
    public init(_ group: EffectID, _ timers: @escaping @Sendable (State) -> [StateTimer<Action>]) {
        source = TimerSource(group: EffectKey(group), timers: timers)
    }

    public func respond(to commit: borrowing Commit<State, Action>) -> Effect<Action> { resume(commit.state) }

    public func resume(_ state: State) -> Effect<Action> { Effect([source.step(state)]) }

    public var prepared: AnyMiddleware<State, Action> { AnyMiddleware(timers: [source]) }
}

/// The timers of a group, as a function of the state.
@usableFromInline
package struct TimerSource<State: Sendable, Action: Sendable>: Sendable {
    @usableFromInline package let group: EffectKey
    @usableFromInline package let timers: @Sendable (State) -> [StateTimer<Action>]

    @inlinable
    package init(group: EffectKey, timers: @escaping @Sendable (State) -> [StateTimer<Action>]) {
        self.group = group
        self.timers = timers
    }

    func step(_ state: State) -> Effect<Action>.Step { .timers(group, timers(state)) }
}
