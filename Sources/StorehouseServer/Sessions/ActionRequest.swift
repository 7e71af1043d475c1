import HTTP
import HTTPServer
import JSON
import StoreHosting
import Stores

/// How a client wants its action dispatched and answered.
struct ActionRequest: Sendable {
    var options: DispatchOptions
    /// Nil if the client does not intend to send the request again.
    let key: IdempotencyKey?
    /// How long to hold the response until the effects have settled; nil not to.
    let wait: Duration?
    /// The share by which the client came; nil if it knows the session's id.
    let share: Share?
    /// When the client may no longer read, in milliseconds since 1970; nil for never.
    let expiresAt: Int?
    private let appliedPreference: String?
    private let history: String

    /// Reads what the head of a request says.
    static func read(
        _ context: borrowing RequestContext, _ session: Session, maxWait: Duration
    ) throws(Problem) -> ActionRequest {
        let (head, share) = (context.head, context.share)
        let key = head.fields.contains("idempotency-key") ? try IdempotencyKey(head, share) : nil
        let selection = try context.selection(for: session.kind)
        let preferences = head.fields.contains("prefer") ? Preferences(head.fields.values("prefer")) : nil
        let isDryRun = try head.flag("dryRun")
        // A dry run starts no effect that could be awaited.
        let wait = isDryRun ? nil : preferences?.wait.map { min(.seconds(min($0, 86_400)), maxWait) }
        let options = DispatchOptions(
            expectedRevisions: try expectedRevisions(head, session.historyID),
            selection: preferences?.return == .minimal ? nil : selection, isDryRun: isDryRun,
            // Below that, no action takes a state from less than half of the limit to more than all of it, unless the kind
            // makes more than four bytes of state from each byte.
            isLarge: context.request.body.count > min(32_768, session.runtime.limits.maxStateBytes / 8),
            trace: head.fields.contains("traceparent") ? head.fields.trace : nil,
            requestID: context.exchange.connection.requestID)
        return ActionRequest(
            options: options, key: key, wait: wait, share: share, expiresAt: context.credentials.expiresAt,
            appliedPreference: preferences.flatMap { appliedPreference($0, wait) }, history: session.historyID)
    }

    /// The response to an action that was committed or ignored.
    func response(to result: DispatchResult) -> ActionResponse {
        ActionResponse(
            result.isCommitted ? .committed : .ignored, revision: result.revision, effects: result.effects.map(\.name),
            appliedPreference: appliedPreference, isSettled: wait == nil ? nil : result.isSettled)
    }

    /// The message of that response, with the state that the action led to.
    func message(for result: DispatchResult) -> Response {
        response(to: result).message(
            showing: result.state?.json, of: history, patch: result.patch.map { shown($0, result) },
            hidesEffects: share != nil)
    }

    /// What the client may see of a patch. The paths of a share's client begin at what the share shows.
    private func shown(_ patch: EncodedPatch, _ result: DispatchResult) -> EncodedPatch {
        guard share != nil else { return patch }
        return switch options.selection?.project(patch) ?? .unchanged {
        case .unchanged: EncodedPatch()
        case .patch(let patch): patch
        case .value, .needsValue: EncodedPatch([.init(.replace, "", result.state?.json ?? [])])
        }
    }

    /// The message with the action's own commit, although effects that started later may have settled.
    func earlyMessage(for result: DispatchResult) -> Response {
        earlyResponse(to: result).message(showing: result.state?.json, of: history, hidesEffects: share != nil)
    }

    func earlyResponse(to result: DispatchResult) -> ActionResponse {
        var response = response(to: result)
        if response.isSettled != nil { response.isSettled = false }
        return response
    }

    /// The response with the revision as it is now, and the state of that revision if the response shows one. The caller
    /// has to await that this is durable.
    func currentResponse(to result: DispatchResult, _ session: Session) -> (ActionResponse, state: [UInt8]?) {
        // The effects of a session that has left this process are cancelled, and have not settled.
        var response = session.continuesElsewhere ? earlyResponse(to: result) : response(to: result)
        guard !options.isDryRun else { return (response, result.state?.json) }
        guard let selection = options.selection else {
            response.revision = session.store.revision
            return (response, nil)
        }
        let state = session.store.read(selection)
        response.revision = state.revision
        return (response, state.json)
    }

    private static func expectedRevisions(_ head: RequestHead, _ history: String) throws(Problem) -> [Int]? {
        guard head.fields.contains("if-match") else { return nil }
        switch try head.condition("if-match", "If-Match") {
        case nil, .any: return nil
        // A tag that is no revision of this history matches nothing.
        case .tags(let tags): return tags.filter { !$0.isWeak }.compactMap { $0.revision(in: history) }
        }
    }

    private static func appliedPreference(_ preferences: Preferences, _ wait: Duration?) -> String? {
        let wanted: String? =
            switch preferences.return {
            case .minimal: "return=minimal"
            case .representation: "return=representation"
            case nil: nil
            }
        guard let wait else { return wanted }
        return (wanted.map { "\($0), " } ?? "") + "wait=\(wait.components.seconds)"
    }
}
