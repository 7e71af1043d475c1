package import StoreHosting
import Stores

/// The answer to an action that was committed or ignored, or that has been answered before.
package enum ActionAnswer: Sendable {
    /// The result of the action itself.
    case first(DispatchResult, to: ActionRequest)
    /// A later state, a part of a change, or the answer to an earlier request with the same key.
    indirect case other(Other)

    package struct Other: Sendable {
        package var response: ActionResponse
        /// The selected state at the revision of the response; nil for none.
        package var state: [UInt8]?
        /// The change of a dry run.
        package var patch: EncodedPatch?
        /// Whether the client may not know what the action has started.
        package let hidesEffects: Bool
        package var isReplayed = false
    }

    /// The selected state at the revision of the response; nil for none.
    package var state: [UInt8]? {
        switch self {
        case .first(let result, _): result.stateJSON
        case .other(let other): other.state
        }
    }

    /// The change of a dry run.
    package var patch: EncodedPatch? {
        switch self {
        case .first(let result, _): result.patch
        case .other(let other): other.patch
        }
    }

    /// The result whose effects the client waits for; nil if it does not wait.
    package var awaited: DispatchResult? {
        if case .first(let result, let action) = self, action.wait != nil { result } else { nil }
    }

    package var response: ActionResponse {
        switch self {
        case .first(let result, let action):
            ActionResponse(
                result.isCommitted ? .committed : .ignored, revision: result.revision,
                effects: result.effects.map(\.description), appliedPreference: action.appliedPreference,
                isSettled: action.wait == nil ? nil : !result.hasFollowUps)
        case .other(let other): other.response
        }
    }

    private var other: Other {
        switch self {
        case .first(_, let action):
            Other(response: response, state: state, patch: patch, hidesEffects: action.hidesEffects)
        case .other(let other): other
        }
    }

    /// The answer with a later state.
    ///
    /// - Parameter state: nil not to show it.
    package func with(_ state: [UInt8]?, at revision: Int, isSettled: Bool) -> ActionAnswer {
        var other = other
        other.state = state
        other.response.revision = revision
        other.response.isSettled = isSettled
        return .other(other)
    }

    package func with(_ patch: EncodedPatch) -> ActionAnswer {
        var other = other
        other.patch = patch
        return .other(other)
    }
}
