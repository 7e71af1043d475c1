import HTTP
import HTTPServer
import JSON
import StoreHosting
import Stores

/// How a client wants its action dispatched and answered.
final class ActionRequest: Sendable {
    let options: DispatchOptions
    /// Nil if the client does not intend to send the request again.
    let key: IdempotencyKey?
    /// How long to hold the response until the effects have settled; nil not to.
    let wait: Duration?
    private let appliedPreference: String?
    private let history: String

    init(_ request: Request, _ session: Session, maxWait: Duration) throws(Problem) {
        let head = request.head
        key = try IdempotencyKey(head)
        history = session.historyID
        let selection = try head.selection(for: session.runtime)
        let preferences = Preferences(head.fields.values("prefer"))
        var options = DispatchOptions()
        options.isDryRun = try head.flag("dryRun")
        // A dry run starts no effect that could be awaited.
        wait = options.isDryRun ? nil : preferences.wait.map { min(.seconds(min($0, 86_400)), maxWait) }
        // Below that, no action takes a state from less than half of the limit to more than all of it, unless the kind
        // makes more than four bytes of state from each byte.
        options.isLarge = request.body.count > min(32_768, session.runtime.limits.maxStateBytes / 8)
        options.trace = Self.trace(head)
        options.expectedRevisions = try Self.expectedRevisions(head, session.historyID)
        options.selection = preferences.return == .minimal ? nil : selection
        self.options = options
        appliedPreference = Self.appliedPreference(preferences, wait)
    }

    /// The response to an action that was committed or ignored.
    func response(to result: DispatchResult) -> ActionResponse {
        ActionResponse(
            result.isCommitted ? .committed : .ignored, revision: result.revision, effects: result.effects.map(\.name),
            selection: options.selection, appliedPreference: appliedPreference,
            isSettled: wait == nil ? nil : result.isSettled)
    }

    /// The message of that response, with the state that the action led to.
    func message(for result: DispatchResult) -> Response {
        response(to: result).message(showing: result.state?.json, of: history, patch: result.patch)
    }

    /// The message with the action's own commit, although effects that started later may have settled.
    func earlyMessage(for result: DispatchResult) -> Response {
        var response = response(to: result)
        if response.isSettled != nil { response.isSettled = false }
        return response.message(showing: result.state?.json, of: history)
    }

    /// The response with the revision as it is now, and the state of that revision if the response shows one. The caller
    /// has to await that this is durable.
    func currentResponse(to result: DispatchResult, _ session: Session) -> (ActionResponse, state: [UInt8]?) {
        var response = response(to: result)
        guard !options.isDryRun else { return (response, result.state?.json) }
        guard let selection = options.selection else {
            response.revision = session.store.revision
            return (response, nil)
        }
        let state = session.store.read(selection)
        response.revision = state.revision
        return (response, state.json)
    }

    /// The trace that the request belongs to. Nothing of it is passed on if `traceparent` is malformed or there are several.
    private static func trace(_ head: RequestHead) -> TraceContext? {
        guard head.fields.contains("traceparent") else { return nil }
        let values = head.fields.values("traceparent")
        guard let parent = values.first, values.count == 1 else { return nil }
        let state = head.fields.values("tracestate")
        return TraceContext(parent, tracestate: state.isEmpty ? nil : state.joined(separator: ","))
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
