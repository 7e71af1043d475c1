package import JSON
package import StoreHosting
package import Stores

/// How a client wants its action dispatched and answered.
///
/// It is a class because it is immutable, and every layer passes it on.
package final class ActionRequest: Sendable {
    /// The bytes that the client has sent.
    package let body: [UInt8]
    /// The parsed body; nil as long as it is not parsed.
    package let json: JSONValue?
    /// The part of the state to answer with; nil for none.
    package let selection: SelectionText?
    /// The revisions at which it may be committed; nil for any.
    package let expected: RevisionSet?
    package let isDryRun: Bool
    /// Nil if the client does not intend to send the request again.
    package let key: IdempotencyKey?
    /// Nil not to wait for effects.
    package let wait: Wait?
    /// The value of `Preference-Applied`.
    package let appliedPreference: String?
    package let trace: TraceContext?
    package let requestID: String
    /// Whether the client may not know what the action has started.
    package let hidesEffects: Bool
    /// Makes the record that becomes durable together with the commits; see ``DispatchOptions/record``.
    package let record: (@Sendable (DispatchResult) -> DispatchRecord?)?
    /// Names an entry of a client in its commits.
    let tag: EntryTag?

    package init(
        body: [UInt8], json: JSONValue?, selection: SelectionText?, expected: RevisionSet?, isDryRun: Bool,
        key: IdempotencyKey?, wait: Wait?, appliedPreference: String?, trace: TraceContext?, requestID: String,
        hidesEffects: Bool = false, tag: EntryTag? = nil,
        record: (@Sendable (DispatchResult) -> DispatchRecord?)? = nil
    ) {
        self.body = body
        self.json = json
        self.selection = selection
        self.expected = expected
        self.isDryRun = isDryRun
        self.key = key
        self.wait = wait
        self.appliedPreference = appliedPreference
        self.trace = trace
        self.requestID = requestID
        self.hidesEffects = hidesEffects
        self.record = record
        self.tag = tag
    }

    /// A copy with those values that are not nil.
    package func with(
        json: JSONValue? = .none, selection: SelectionText? = nil, key: IdempotencyKey? = nil,
        hidesEffects: Bool? = nil, record: (@Sendable (DispatchResult) -> DispatchRecord?)? = nil
    ) -> ActionRequest {
        ActionRequest(
            body: body, json: json ?? self.json, selection: selection ?? self.selection, expected: expected,
            isDryRun: isDryRun, key: key ?? self.key, wait: wait, appliedPreference: appliedPreference, trace: trace,
            requestID: requestID, hidesEffects: hidesEffects ?? self.hidesEffects, tag: tag,
            record: record ?? self.record)
    }

    /// How long to hold the answer until the effects have settled.
    package final class Wait: Sendable {
        package let limit: Duration
        package let timer: any WaitTimer

        package init(limit: Duration, timer: any WaitTimer) {
            self.limit = limit
            self.timer = timer
        }
    }

    /// How the store dispatches it to a session.
    ///
    /// - Parameters:
    ///   - selection: ``selection`` as the session's kind understands it.
    ///   - principal: the credentials of the sender.
    ///   - isOfVisitor: whether the state decides what the sender may do.
    package func options(
        for session: Session, _ selection: Selection?, by principal: Credentials, isOfVisitor: Bool = false
    ) -> DispatchOptions {
        let options = DispatchOptions(
            expectedRevisions: expected.flatMap { $0.numbers(in: session.historyID) }, selection: selection,
            isDryRun: isDryRun,
            // Below that, no action takes a state from less than half of the limit to more than all of it, unless the kind
            // makes more than four bytes of state from each byte.
            measuresState: body.count > min(32_768, session.runtime.limits.maxStateBytes / 8), trace: trace,
            requestID: requestID, actor: principal.actor(in: session), isOfVisitor: isOfVisitor)
        guard let record else { return options }
        var recorded = options
        recorded.record = record
        recorded.tag = tag
        return recorded
    }
}

/// Tells that a client has waited long enough.
package protocol WaitTimer: Sendable {
    /// Calls `body` after `delay`, or when the server can wait no longer, unless the request is over before.
    func schedule(after delay: Duration, _ body: @escaping @Sendable () -> Void)
}
