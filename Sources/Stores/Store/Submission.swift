/// What enters a store: one action, or a batch that is committed whole or not at all.
package struct Submission<Action: Sendable>: Sendable {
    let first: Action
    let rest: [Action]
    let origin: Origin
    /// The only revision at which it may be committed; nil for any.
    var expectedRevision: Int?
    var cause: Int?
    var chain: Chain?
    /// The run of an effect that sent it, which must still be current.
    var sender: EffectRun?
    /// Whether `sender` is over with it.
    var endsSender = false

    package init(_ first: Action, then rest: [Action] = [], origin: Origin, expectedRevision: Int? = nil) {
        self.first = first
        self.rest = rest
        self.origin = origin
        self.expectedRevision = expectedRevision
    }
}

/// One run of an effect: a later one with the same id has another generation.
struct EffectRun: Sendable, Hashable {
    let id: EffectID
    let generation: Int
}
