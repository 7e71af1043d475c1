import HTTP
import JSON
import StoreHosting
import Stores

/// How a client wants its action dispatched and answered.
struct ActionRequest: Sendable {
    let options: DispatchOptions
    /// Nil if the client does not intend to send the request again.
    let key: IdempotencyKey?
    /// How long to hold the response until the effects have settled; nil not to.
    let wait: Duration?
    private let selection: Selection
    private let isMinimal: Bool
    private let preferenceFields: [Response.Field]

    init(_ head: RequestHead, _ session: Session, maxWait: Duration) throws(Problem) {
        key = try IdempotencyKey(head)
        selection = try head.selection(for: session.kind)
        let preferences = Preferences(head.fields.values("prefer"))
        isMinimal = preferences.return == .minimal
        wait = preferences.wait.map { min(.seconds(min($0, 86_400)), maxWait) }
        var options = DispatchOptions()
        options.isDryRun = try head.flag("dryRun")
        options.trace = Self.trace(head)
        options.expectedRevisions = try Self.expectedRevisions(head)
        options.selection = isMinimal ? nil : selection
        self.options = options
        preferenceFields = Self.preferenceFields(preferences, wait)
    }

    /// The response to an action that was committed or ignored, with the state that it led to.
    func response(to result: DispatchResult) -> Response {
        response(to: result, result.revision, result.state)
    }

    /// The same with the state as it is now. The caller has to await that this is durable.
    func currentResponse(to result: DispatchResult, _ session: Session) -> Response {
        if options.isDryRun { return response(to: result) }
        if isMinimal { return response(to: result, session.store.revision, nil) }
        let state = session.store.read(selection)
        return response(to: result, state.revision, state)
    }

    private func response(to result: DispatchResult, _ revision: Int, _ shown: EncodedState?) -> Response {
        guard let shown else { return Response(.noContent, fields: preferenceFields, revision: revision) }
        var json = JSONWriter(reservingCapacity: 1024)
        json.object { json in
            json.member("revision", shown.revision)
            json.member("outcome", result.isCommitted ? "committed" : "ignored")
            json.member("state", raw: shown.json)
            json.member("effects", result.effects.map(\.name))
            if let patch = result.patch { json.member("patch", patch) }
        }
        return .document(json.finish(), revision: shown.revision, fields: preferenceFields)
    }

    /// The trace that the request belongs to. Several or malformed fields are not passed on.
    private static func trace(_ head: RequestHead) -> TraceContext? {
        guard head.fields.contains("traceparent") else { return nil }
        let values = head.fields.values("traceparent")
        return values.count == 1 ? values.first.flatMap { TraceContext($0) } : nil
    }

    private static func expectedRevisions(_ head: RequestHead) throws(Problem) -> [Int]? {
        guard head.fields.contains("if-match") else { return nil }
        switch try head.condition("if-match", "If-Match") {
        case nil, .any: return nil
        // A tag that is not a revision matches nothing.
        case .tags(let tags): return tags.filter { !$0.isWeak }.compactMap { revision($0.opaque) }
        }
    }

    private static func revision(_ text: String) -> Int? {
        Int(text).flatMap { String($0) == text ? $0 : nil }
    }

    private static func preferenceFields(_ preferences: Preferences, _ wait: Duration?) -> [Response.Field] {
        var applied: [String] = []
        if let wanted = preferences.return { applied.append("return=\(wanted.rawValue)") }
        if let wait { applied.append("wait=\(wait.components.seconds)") }
        return applied.isEmpty ? [] : [.init("Preference-Applied", applied.joined(separator: ", "))]
    }
}
