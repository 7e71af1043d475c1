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
