import HTTP
import JSON
import StoreHosting
import Stores

/// How a client wants its action dispatched and answered.
struct ActionRequest: Sendable {
    /// As it came.
    let body: [UInt8]
    /// The same, parsed; nil as long as it is not.
    var json: JSONValue?
    /// The part of the state to answer with; nil for none.
    var selection: SelectionText?
    /// The revisions at which it may be committed; nil for any.
    let expected: EntityTagCondition?
    let isDryRun: Bool
    /// Nil if the client does not intend to send the request again.
    var key: IdempotencyKey?
    /// Nil not to wait for effects.
    let wait: Wait?
    /// The value of `Preference-Applied`.
    let appliedPreference: String?
    let trace: TraceContext?
    let requestID: String
    /// Whether the client may not know what the action has started.
    var hidesEffects = false
    /// Makes the record that becomes durable together with the commits; see ``DispatchOptions/idempotencyRecord``.
    var record: (@Sendable (DispatchResult) -> IdempotencyRecord?)?

    /// How long to hold the answer until the effects have settled.
    struct Wait: Sendable {
        let limit: Duration
        let timer: any WaitTimer
    }

    /// How the store dispatches it to a session.
    ///
    /// - Parameter selection: ``selection`` as the session's kind understands it.
    func options(for session: Session, _ selection: Selection?) -> DispatchOptions {
        var options = DispatchOptions(
            expectedRevisions: expected.flatMap { $0.strongRevisions(in: session.historyID) }, selection: selection,
            isDryRun: isDryRun,
            // Below that, no action takes a state from less than half of the limit to more than all of it, unless the kind
            // makes more than four bytes of state from each byte.
            isLarge: body.count > min(32_768, session.runtime.limits.maxStateBytes / 8), trace: trace,
            requestID: requestID)
        if let record { options.idempotencyRecord = record }
        return options
    }
}

/// Tells that a client has waited long enough.
protocol WaitTimer: Sendable {
    /// Calls `body` after `delay`, or when the server can wait no longer, unless the request is over before.
    func schedule(after delay: Duration, _ body: @escaping @Sendable () -> Void)
}

extension EntityTagCondition {
    /// The revisions of a history that it names strongly; nil for any.
    fileprivate func strongRevisions(in history: String) -> [Int]? {
        switch self {
        case .any: nil
        // A tag that is no revision of this history matches nothing.
        case .tags(let tags): tags.filter { !$0.isWeak }.compactMap { $0.revision(in: history) }
        }
    }
}
