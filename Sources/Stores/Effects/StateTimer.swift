/// An action with a deadline that is part of the state.
public struct StateTimer<Action: Sendable>: Sendable {
    /// Its name, unique in its group.
    @usableFromInline
    package let id: EffectID
    /// The deadline in milliseconds since 1970-01-01T00:00:00Z.
    @usableFromInline
    package let deadline: Int
    /// The action that is dispatched at the deadline. It must depend on the id and the deadline only, because the store keeps the
    /// action of the moment when it armed the timer.
    @usableFromInline
    package let action: Action
    /// The part of the state that it belongs to.
    private(set) var path = EffectPath.root

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

    @usableFromInline
    package func embedded<Parent: Sendable>(in part: PathStep?, _ embed: (Action) -> Parent) -> StateTimer<Parent> {
        var parent = StateTimer<Parent>(id, at: deadline, embed(action))
        parent.path = path.embedded(in: part)
        return parent
    }

    /// Tells it from a timer with the same name and another deadline.
    var key: Key { Key(effect: EffectKey(id, path), deadline: deadline) }

    struct Key: Hashable {
        let effect: EffectKey
        let deadline: Int
    }
}

/// The timers of one ``Timers`` middleware: those of the state, and the one that is armed.
@usableFromInline
package struct TimerGroup<Action: Sendable>: Sendable {
    let key: EffectKey
    private var timers: [StateTimer<Action>] = []
    /// Timers that have fired and are still part of the state.
    private var fired: Set<StateTimer<Action>.Key> = []
    /// Timers whose action was refused at a bound. They have not fired.
    private var refused: Set<StateTimer<Action>.Key> = []
    /// Whether refused timers are tried again. False after a refusal, so that one attempt is made when there may be room.
    private var retries = false
    /// The timer whose action is being reduced.
    private var latest: (key: StateTimer<Action>.Key, runID: Int)?
    private(set) var armed: (timer: StateTimer<Action>, runID: Int)?

    init(key: EffectKey) { self.key = key }

    mutating func setTimers(_ timers: [StateTimer<Action>]) {
        self.timers = timers
        if !fired.isEmpty { fired.formIntersection(timers.map(\.key)) }
        if !refused.isEmpty { refused.formIntersection(timers.map(\.key)) }
    }

    /// Whether the state has no timer of the group.
    @usableFromInline package var isEmpty: Bool { timers.isEmpty && armed == nil }

    /// The timer to arm; nil if there is none.
    var next: StateTimer<Action>? {
        timers.lazy.filter { !fired.contains($0.key) && (retries || !refused.contains($0.key)) }
            .min { $0.deadline < $1.deadline }
    }

    /// The earliest deadline of a timer that has not fired. A refused one counts too: another process must try it again.
    var nextDeadline: Int? { timers.lazy.filter { !fired.contains($0.key) }.map(\.deadline).min() }

    mutating func arm(_ timer: StateTimer<Action>, _ runID: Int) { armed = (timer, runID) }

    mutating func disarm() { armed = nil }

    /// Records that the armed timer has fired.
    mutating func markFired() {
        if let armed {
            fired.insert(armed.timer.key)
            latest = (armed.timer.key, armed.runID)
        }
        armed = nil
    }

    /// Records that the action of the timer that has fired was refused: the timer waits until it is tried again.
    ///
    /// - Returns: whether it was refused for the first time; nil if the run was another one.
    mutating func refuse(_ runID: Int) -> Bool? {
        guard let latest, latest.runID == runID else { return nil }
        fired.remove(latest.key)
        retries = false
        return refused.insert(latest.key).inserted
    }

    /// Has refused timers be tried again.
    ///
    /// - Returns: whether there are any.
    @discardableResult
    mutating func allowRetry() -> Bool {
        retries = true
        return !refused.isEmpty
    }
}
