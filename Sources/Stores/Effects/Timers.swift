/// An action with a deadline that is part of the state.
public struct StateTimer<Action: Sendable>: Sendable {
    /// Its name, unique in its group.
    public let id: EffectID
    /// The deadline in milliseconds since 1970-01-01T00:00:00Z.
    public let deadline: Int
    /// The action that is dispatched at the deadline. It must depend on the id and the deadline only, because the store keeps the
    /// action of the moment when it armed the timer.
    public let action: Action

    /// A timer that fires at `deadline`.
    ///
    /// - Parameters:
    ///   - id: its name, unique in its group.
    ///   - deadline: milliseconds since 1970.
    ///   - action: the action that is dispatched at the deadline.
    public init(_ id: EffectID, at deadline: Int, _ action: Action) {
        self.id = id
        self.deadline = deadline
        self.action = action
    }

    func map<Parent: Sendable>(_ embed: (Action) -> Parent) -> StateTimer<Parent> {
        StateTimer<Parent>(id, at: deadline, embed(action))
    }

    /// Tells it from a timer with the same name and another deadline.
    var key: Key { Key(id: id, deadline: deadline) }

    struct Key: Hashable {
        let id: EffectID
        let deadline: Int
    }
}

/// Runs the timers that the state describes. Their deadlines are points in time, so they survive a restart of the process.
///
/// After each commit, and when a store continues from a saved state, the middleware reads all timers from the state. The store
/// arms new timers, disarms those that are gone, and fires at once those whose deadline has passed. Each deadline fires once, in
/// the order of the deadlines. The reducer of the action removes the deadline from the state, or sets another. All timers of a
/// group together cost one waiting task. A timer is not an effect: it counts towards no limit, and `settled()` does not wait
/// for it.
public struct Timers<State: Sendable, Action: Sendable>: Middleware {
    private let group: EffectID
    private let timers: @Sendable (State) -> [StateTimer<Action>]

    /// A middleware for a group of timers.
    ///
    /// - Parameters:
    ///   - group: the name of the group, unique in the store.
    ///   - timers: all timers of a state. It is called after each commit, so it must be quick.
    public init(_ group: EffectID, _ timers: @escaping @Sendable (State) -> [StateTimer<Action>]) {
        self.group = group
        self.timers = timers
    }

    public func respond(to commit: borrowing Commit<State, Action>) -> Effect<Action> { resume(commit.state) }

    public func resume(_ state: State) -> Effect<Action> { Effect([.timers(group, timers(state))]) }
}

/// The timers of one ``Timers`` middleware: those of the state, and the one that is armed.
struct TimerGroup<Action: Sendable>: Sendable {
    let id: EffectID
    private var timers: [StateTimer<Action>] = []
    /// Timers that have fired and are still part of the state.
    private var fired: Set<StateTimer<Action>.Key> = []
    private(set) var armed: (timer: StateTimer<Action>, runID: Int)?

    init(id: EffectID) { self.id = id }

    mutating func setTimers(_ timers: [StateTimer<Action>]) {
        self.timers = timers
        if !fired.isEmpty { fired.formIntersection(timers.map(\.key)) }
    }

    /// Whether the state has no timer of the group.
    var isEmpty: Bool { timers.isEmpty && armed == nil }

    /// The timer to arm; nil if there is none.
    var next: StateTimer<Action>? {
        timers.lazy.filter { !fired.contains($0.key) }.min { $0.deadline < $1.deadline }
    }

    mutating func arm(_ timer: StateTimer<Action>, _ runID: Int) { armed = (timer, runID) }

    mutating func disarm() { armed = nil }

    /// Records that the armed timer has fired.
    mutating func markFired() {
        if let armed { fired.insert(armed.timer.key) }
        armed = nil
    }
}
