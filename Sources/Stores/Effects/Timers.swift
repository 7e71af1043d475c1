/// An action that is due at a moment which stands in the state.
public struct StateTimer<Action: Sendable>: Sendable {
    /// Its name, once in its group.
    public let id: EffectID
    /// When it is due, in milliseconds since 1970-01-01T00:00:00Z.
    public let deadline: Int
    /// What is dispatched then: as it was when the timer was armed, so it must follow from the id and the deadline.
    public let action: Action

    /// A timer that is due at `deadline`.
    ///
    /// - Parameters:
    ///   - id: its name, once in its group.
    ///   - deadline: milliseconds since 1970.
    ///   - action: what is dispatched then.
    public init(_ id: EffectID, at deadline: Int, _ action: Action) {
        self.id = id
        self.deadline = deadline
        self.action = action
    }

    func map<Parent: Sendable>(_ embed: (Action) -> Parent) -> StateTimer<Parent> {
        StateTimer<Parent>(id, at: deadline, embed(action))
    }

    /// What tells it from a timer of the same name that was set anew.
    var key: Key { Key(id: id, deadline: deadline) }

    struct Key: Hashable {
        let id: EffectID
        let deadline: Int
    }
}

/// Keeps timers that the state tells of: their deadlines are moments, so they outlast the process.
///
/// After each commit, and when a store goes on from a state that was kept, the state is asked for all its timers: what is new
/// is armed, what is gone is disarmed, what is past is due at once. Each deadline is told once, in the order of the
/// deadlines; the action's reducer takes it out of the state or sets another. Waiting costs one task, however many there are.
/// A timer is no effect: it stands in no list of those and `settled()` does not wait for it.
public struct Timers<State: Sendable, Action: Sendable>: Middleware {
    private let group: EffectID
    private let timers: @Sendable (State) -> [StateTimer<Action>]

    /// A middleware that keeps the timers of a group.
    ///
    /// - Parameters:
    ///   - group: names these timers among all of the store's.
    ///   - timers: all that the state has; called after each commit, so it must be quick.
    public init(_ group: EffectID, _ timers: @escaping @Sendable (State) -> [StateTimer<Action>]) {
        self.group = group
        self.timers = timers
    }

    public func respond(to commit: borrowing Commit<State, Action>) -> Effect<Action> { resume(commit.state) }

    public func resume(_ state: State) -> Effect<Action> { Effect([.timers(group, timers(state))]) }
}

/// The timers of one ``Timers``: those that the state has, and the one that is armed.
struct TimerGroup<Action: Sendable>: Sendable {
    let id: EffectID
    private var wanted: [StateTimer<Action>] = []
    /// What has been told already and still stands in the state.
    private var told: Set<StateTimer<Action>.Key> = []
    private(set) var armed: (timer: StateTimer<Action>, generation: Int)?

    init(id: EffectID) { self.id = id }

    /// Takes the timers that the state has now.
    mutating func want(_ timers: [StateTimer<Action>]) {
        wanted = timers
        if !told.isEmpty { told.formIntersection(timers.map(\.key)) }
    }

    /// The one to be armed; nil where there is none.
    var next: StateTimer<Action>? {
        wanted.lazy.filter { !told.contains($0.key) }.min { $0.deadline < $1.deadline }
    }

    mutating func arm(_ timer: StateTimer<Action>, _ generation: Int) { armed = (timer, generation) }

    mutating func disarm() { armed = nil }

    /// Notes that the armed timer has been told.
    mutating func fire() {
        if let armed { told.insert(armed.timer.key) }
        armed = nil
    }
}
