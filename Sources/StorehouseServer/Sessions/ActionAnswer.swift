import HTTP
import StoreHosting
import Stores

/// The answer to an action that was committed or ignored, or that has been answered before.
final class ActionAnswer: Sendable {
    let response: ActionResponse
    /// The selected state at the revision of the response; nil for none.
    let state: [UInt8]?
    /// The change of a dry run.
    let patch: EncodedPatch?
    /// Whether the client may not know what the action has started.
    let hidesEffects: Bool
    let isReplayed: Bool
    /// Of the store; nil if the action was answered before.
    let result: DispatchResult?

    private init(
        _ response: ActionResponse, _ state: [UInt8]?, _ patch: EncodedPatch? = nil, hidesEffects: Bool,
        isReplayed: Bool = false, _ result: DispatchResult? = nil
    ) {
        self.response = response
        self.state = state
        self.patch = patch
        self.hidesEffects = hidesEffects
        self.isReplayed = isReplayed
        self.result = result
    }

    /// The answer with the state that the action led to.
    convenience init(to action: ActionRequest, _ result: DispatchResult, _ selection: Selection?) {
        let response = ActionResponse(
            outcome: result.isCommitted ? .committed : .ignored, revision: result.revision,
            effects: result.effects.map(\.name), selection: result.state == nil ? nil : selection,
            appliedPreference: action.appliedPreference, isSettled: action.wait == nil ? nil : result.isSettled)
        self.init(response, result.state?.json, result.patch, hidesEffects: action.hidesEffects, result)
    }

    /// The same answer again.
    convenience init(replaying response: ActionResponse, _ state: [UInt8]?, hidesEffects: Bool) {
        self.init(response, state, hidesEffects: hidesEffects, isReplayed: true)
    }

    /// The answer with a later state.
    ///
    /// - Parameter state: nil not to show it.
    func with(_ state: [UInt8]?, at revision: Int, isSettled: Bool) -> ActionAnswer {
        var response = response
        response.revision = revision
        response.isSettled = isSettled
        return ActionAnswer(response, state, patch, hidesEffects: hidesEffects, result)
    }

    /// The answer before the effects have settled: with the action's own commit, and nothing that came later.
    var unsettled: ActionAnswer {
        var response = response
        if response.isSettled != nil { response.isSettled = false }
        return ActionAnswer(response, state, patch, hidesEffects: hidesEffects, result)
    }

    func with(_ patch: EncodedPatch) -> ActionAnswer {
        ActionAnswer(response, state, patch, hidesEffects: hidesEffects, result)
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
