import HTTP
import StoreHosting
import Stores

/// The answer to an action that was committed or ignored, or that has been answered before.
final class ActionAnswer: Sendable {
    /// The selected state at the revision of the response; nil for none.
    let state: [UInt8]?
    /// The change of a dry run.
    let patch: EncodedPatch?
    /// The result whose effects the client waits for; nil if it does not wait.
    let awaited: DispatchResult?
    private let action: ActionRequest?
    private let isCommitted: Bool
    private let revision: Int
    private let effects: [EffectID]
    private let selection: Selection?
    /// Nil for that of the store.
    private let otherResponse: ActionResponse?
    /// Whether the client may not know what the action has started.
    private let hidesEffects: Bool
    private let isReplayed: Bool

    /// The answer with the state that the action led to.
    init(to action: ActionRequest, _ result: borrowing DispatchResult, _ selection: Selection?) {
        state = result.state?.json
        patch = result.patch
        awaited = action.wait == nil ? nil : copy result
        self.action = action
        isCommitted = result.isCommitted
        revision = result.revision
        effects = result.effects
        self.selection = selection
        otherResponse = nil
        hidesEffects = action.hidesEffects
        isReplayed = false
    }

    private init(
        _ response: ActionResponse, _ state: [UInt8]?, _ patch: EncodedPatch?, hidesEffects: Bool, isReplayed: Bool
    ) {
        self.state = state
        self.patch = patch
        (awaited, action, selection) = (nil, nil, nil)
        (isCommitted, revision, effects) = (false, response.revision, [])
        otherResponse = response
        self.hidesEffects = hidesEffects
        self.isReplayed = isReplayed
    }

    /// The answer to a repeated request.
    convenience init(replaying response: ActionResponse, _ state: [UInt8]?, hidesEffects: Bool) {
        self.init(response, state, nil, hidesEffects: hidesEffects, isReplayed: true)
    }

    var response: ActionResponse {
        if let otherResponse { return otherResponse }
        return ActionResponse(
            outcome: isCommitted ? .committed : .ignored, revision: revision, effects: effects.map(\.name),
            selection: state == nil ? nil : selection, appliedPreference: action?.appliedPreference,
            isSettled: awaited?.isOver)
    }

    /// The answer with a later state.
    ///
    /// - Parameter state: nil not to show it.
    func with(_ state: [UInt8]?, at revision: Int, isSettled: Bool) -> ActionAnswer {
        var response = response
        response.revision = revision
        response.isSettled = isSettled
        return ActionAnswer(response, state, patch, hidesEffects: hidesEffects, isReplayed: isReplayed)
    }

    func with(_ patch: EncodedPatch) -> ActionAnswer {
        ActionAnswer(response, state, patch, hidesEffects: hidesEffects, isReplayed: isReplayed)
    }

    /// The message that the client gets.
    func message(of history: String) -> Response {
        var message = response.message(showing: state, of: history, patch: patch, hidesEffects: hidesEffects)
        if isReplayed { message.markReplayed() }
        return message
    }
}

extension Response {
    /// Adds the field that marks a replay.
    mutating func markReplayed() { fields.append(.init("Idempotency-Replayed", "true")) }
}
