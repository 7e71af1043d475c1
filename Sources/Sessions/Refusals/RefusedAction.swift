package import JSON
package import StoreHosting
package import Stores

/// An action that a session has refused, as whoever may read the session sees it.
package struct RefusedAction: Sendable {
    /// The members of a payload are shown as long as they fit into this.
    static let maxPayloadBytes = 2048
    private static let maxTextBytes = 256

    /// Nil if the body names none.
    package let type: String?
    /// The payload as JSON, without its secrets; nil if the store has no action of this type, or if there was no payload.
    package let payload: [UInt8]?
    /// Whether members of the payload are left out.
    package let isCut: Bool
    /// The sender.
    package let actor: Actor
    /// Without what the client has sent.
    package let failure: SessionFailure
    /// Of a batch, the index of the action.
    package let index: Int?
    /// Why the reducer has rejected the action; nil if it has not.
    package let reason: String?
    /// The revision of the session; nil if it was not known without waiting.
    package let revision: Int?
    /// In milliseconds since 1970.
    package let at: Int

    /// - Parameters:
    ///   - body: an action, or a batch of them, valid or not.
    ///   - actor: the sender.
    ///   - revision: that of the session, if it is known.
    ///   - time: in milliseconds since 1970.
    package init(
        _ body: JSONValue, _ failure: SessionFailure, of kind: StoreKind, by actor: Actor, at revision: Int?,
        _ time: Int
    ) {
        self.actor = actor
        let place = failure.index ?? 0
        index = failure.index
        reason = failure.reason.map { Self.shortened($0) }
        self.failure = failure.withoutInput
        self.revision = revision
        at = time
        let action = body.asArray.map { $0.indices.contains(place) ? $0[place] : .null } ?? body
        type = action["type"]?.asString.map { Self.shortened($0) }
        let shown = kind.shownPayload(of: action).map { Self.encoded($0) }
        payload = shown?.json
        isCut = shown?.isCut ?? false
    }

    /// About how many bytes it takes in memory.
    package var byteCount: Int {
        256 + (type?.utf8.count ?? 0) + (payload?.count ?? 0) + (reason?.utf8.count ?? 0)
    }

    private static func shortened(_ text: String) -> String {
        text.utf8.count <= maxTextBytes ? text : String(text.prefix(maxTextBytes / 8))
    }

    private static func encoded(_ payload: JSONObject) -> (json: [UInt8], isCut: Bool) {
        var (shown, byteCount) = (JSONObject(), 2)
        for (name, value) in payload {
            let length = name.utf8.count + value.encoded().count + 4
            guard byteCount + length <= maxPayloadBytes else { continue }
            byteCount += length
            shown[name] = value
        }
        return (JSONValue.object(shown).encoded(), shown.count < payload.count)
    }
}

extension StoreKind {
    /// The payload that may be shown of a refused action; nil for one of an unknown type, whose secrets are unknown.
    ///
    /// Of an action with secrets only members that its example has are shown: the name of a secret may be misspelt.
    fileprivate func shownPayload(of action: JSONValue) -> JSONObject? {
        guard let type = action["type"]?.asString,
            let known = actions.first(where: { $0.type.utf8.elementsEqual(type.utf8) }),
            case .object(var payload)? = redacted(action)["payload"]
        else { return nil }
        guard !known.secrets.isEmpty else { return payload }
        for name in payload.names where known.example["payload"]?[name] == nil && !known.secrets.contains(name) {
            payload[name] = nil
        }
        return payload
    }
}

extension SessionFailure {
    /// Of a batch, the index of the action that is refused.
    fileprivate var index: Int? {
        switch self {
        case .action(.refused(_, let index)), .action(.rejected(_, let index, _, _)), .forbidden(.action(_, let index)):
            index
        default: nil
        }
    }

    fileprivate var reason: String? { if case .action(.rejected(let reason, _, _, _)) = self { reason } else { nil } }

    /// A copy of the failure without texts of the client: they may be long, and they may be secret.
    var withoutInput: SessionFailure {
        switch self {
        case .action(.refused(.unknownAction, let index)):
            .action(.refused(.unknownAction("", nearest: []), index: index))
        case .action(.refused(.internalAction, let index)): .action(.refused(.internalAction(""), index: index))
        case .action(.refused(.invalidPayload, let index)): .action(.refused(.invalidPayload([]), index: index))
        case .action(.rejected(_, let index, let revision, let history)):
            .action(.rejected(reason: "", index: index, revision: revision, history: history))
        case .forbidden(.action(_, let index)): .forbidden(.action("", index: index))
        default: self
        }
    }
}
