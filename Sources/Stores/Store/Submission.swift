/// What enters a store: one action, or a batch that is committed whole or not at all.
package struct Submission<Action: Sendable>: Sendable {
    let first: Action
    let rest: [Action]
    let origin: Origin
    /// The only revisions at which it may be committed; nil for any.
    let expectedRevisions: [Int]?
    /// Whether the sender wants the state that it leads to.
    let wantsState: Bool
    var cause: Int?
    var chain: Chain?
    /// The run of an effect that sent it, which must still be current.
    var sender: EffectRun?
    /// Whether `sender` is over with it.
    var endsSender = false

    /// The chain that a middleware's action has entered by itself, and leaves when it is done with.
    var ownChain: Chain? { origin == .middleware ? chain : nil }

    package init(
        _ first: Action, then rest: [Action] = [], origin: Origin, expectedRevisions: [Int]? = nil,
        wantsState: Bool = false
    ) {
        self.first = first
        self.rest = rest
        self.origin = origin
        self.expectedRevisions = expectedRevisions
        self.wantsState = wantsState
    }
}

/// One run of an effect: a later one with the same id has another generation.
struct EffectRun: Sendable, Hashable {
    let id: EffectID
    let generation: Int
}
