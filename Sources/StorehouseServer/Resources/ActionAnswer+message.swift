import HTTP
import JSON
import Sessions
import StoreHosting

extension ActionAnswer {
    /// The message that the client gets.
    func message(of history: String) -> Response {
        switch self {
        case .first(let result, let action):
            return response.message(
                showing: result.stateJSON, of: history, patch: result.patch, hidesEffects: action.hidesEffects)
        case .other(let other):
            var message = other.response.message(
                showing: other.state, of: history, patch: other.patch, hidesEffects: other.hidesEffects)
            if other.isReplayed { message.markReplayed() }
            return message
        }
    }
}

extension ActionResponse {
    /// The message that the client gets.
    ///
    /// - Parameters:
    ///   - state: the selected state at ``revision`` as JSON; nil if the response shows none.
    ///   - history: names the sequence of revisions.
    ///   - patch: what the action would change, after a dry run.
    ///   - hidesEffects: whether the client may not know what the action has started, as one with a share.
    fileprivate func message(
        showing state: [UInt8]?, of history: String, patch: EncodedPatch? = nil, hidesEffects: Bool = false
    ) -> Response {
        let word: String
        switch outcome {
        case .committed: word = "committed"
        case .ignored: word = "ignored"
        case .rejected(let reason, let index):
            let cause = SessionFailure.Action.rejected(
                reason: reason, index: index, revision: revision, history: history)
            return Problem(.action(cause)).response
        }
        var fields = appliedPreference.map { [Response.Field("Preference-Applied", $0)] } ?? []
        let tag = RevisionTag(revision, of: history)
        guard let state else {
            // A body would say so.
            if case .ignored = outcome { fields.append(.init("Storehouse-Outcome", "ignored")) }
            return Response(.noContent, fields: fields, revision: tag)
        }
        var json = JSONWriter(reservingCapacity: max(1024, state.count + 256))
        json.object { json in
            json.member("revision", revision)
            json.member("outcome", word)
            json.member("state", raw: state)
            if !hidesEffects { json.member("effects", effects) }
            json.member("settled", ifPresent: isSettled)
            if let patch { json.member("patch", patch) }
        }
        return .document(json.finishLine(), revision: tag, fields: fields)
    }
}

extension Response {
    /// Adds the field that marks a replay.
    mutating func markReplayed() { fields.append(.init("Idempotency-Replayed", "true")) }
}
