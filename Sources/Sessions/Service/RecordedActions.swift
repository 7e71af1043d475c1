import JSON
import Locks
import StoreHosting
import Stores

/// An action of a client, as the log has it, or another one in its place.
struct RecordedAction: Sendable {
    let revision: Int
    private(set) var type: String
    private(set) var payload: JSONObject
    /// Whoever has sent it; nil for nobody who was named.
    private(set) var actor: Actor?
    /// Whether no log has redacted a part of it.
    private var isOwn = false

    init(_ commit: CommitRecord) {
        (revision, type, payload, actor) = (commit.revision, commit.type, commit.payload, commit.namedActor)
    }

    /// Another action in its place. If it has the same type, it keeps the id and the time that the server has filled in, since later
    /// actions may name them. Its sender is whoever forks: the earlier sender has not sent this payload.
    ///
    /// - Returns: nil for an action without a type.
    func replaced(with action: JSONValue, by actor: Actor?, in kind: StoreKind) -> RecordedAction? {
        guard let type = action["type"]?.asString else { return nil }
        var other = self
        (other.type, other.payload, other.actor, other.isOwn) = (type, action["payload"]?.asObject ?? [:], actor, true)
        guard type == self.type else { return other }
        for member in kind.actions.first(where: { $0.type == type })?.filled ?? [] {
            guard member.filler == .now || member.filler == .id, other.payload[member.name] == nil else { continue }
            other.payload[member.name] = payload[member.name]
        }
        return other
    }

    /// Sends it to another store.
    func send(to store: HostedStore, of kind: KindRuntime) async -> ReplayedAction {
        if !isOwn, hasSecret(in: kind.kind) { return outcome(.skipped, "secret") }
        let body: JSONValue = ["type": .string(type), "payload": .object(payload)]
        let result = Promise<DispatchResult>()
        // The length of an action limits the bytes that it may add to a state, as for a client.
        var options = DispatchOptions(selection: nil, measuresState: payload.byteCount > 4096, actor: actor)
        options.isRepeated = true
        store.dispatch(body, options) { result.fulfill($0) }
        switch await result.value().outcome {
        case .committed: return outcome(.committed)
        case .ignored: return outcome(.ignored)
        case .rejected(let rejection, _): return outcome(.rejected, rejection.reason)
        case .refused(.unknownAction, _): return outcome(.refused, "unknown-action")
        case .refused(.internalAction, _): return outcome(.refused, "internal-action")
        case .refused(.roleRequired, _): return outcome(.refused, "role-required")
        case .refused(.identityRequired, _): return outcome(.refused, "identity-required")
        case .refused(.invalidPayload, _): return outcome(.refused, "invalid-payload")
        case .overloaded, .ended, .revisionMismatch, .forbidden: return outcome(.refused, "overloaded")
        }
    }

    private func outcome(_ outcome: ReplayedAction.Outcome, _ reason: String? = nil) -> ReplayedAction {
        ReplayedAction(revision: revision, type: type, outcome: outcome, reason: reason)
    }

    /// Whether the log has redacted a part of it.
    private func hasSecret(in kind: StoreKind) -> Bool {
        kind.actions.first { $0.type == type }?.secrets.contains { payload[$0] != nil } ?? false
    }
}

/// Reads the actions for a replay.
enum RecordedActions {
    /// More actions than this are not sent again.
    static let maxCount = 10_000
    static let maxBytes = 1 << 24
    private static let portion = 512

    /// - Parameter actor: the sender of those that are sent in the place of others.
    /// - Returns: nil if none is asked for.
    static func of(
        _ wanted: ForkRequest, in session: Session, by actor: Actor?
    ) async throws(SessionFailure) -> [RecordedAction]? {
        guard let replay = wanted.replay, let first = wanted.revision, let last = replay.last else { return nil }
        guard let journal = session.journal else { throw .stored(.noActions) }
        var (actions, byteCount, revision): ([RecordedAction], Int, Int) = ([], 0, first)
        var replaced = replay.replaced
        while revision < last {
            let commits: [CommitRecord]?
            do throws(JournalError) {
                commits = try await journal.commits(after: revision, limit: min(portion, last - revision))
            } catch {
                throw session.failure(error)
            }
            guard let commits else { throw await session.revisionGone(in: journal) { .goneActions(oldest: $0) } }
            guard let newest = commits.last?.revision else { throw .stored(.contradiction) }
            for commit in commits where commit.origin == .client && !replay.skipped.contains(commit.revision) {
                var action = RecordedAction(commit)
                if let body = replaced[commit.revision],
                    let other = action.replaced(with: body, by: actor, in: session.kind)
                {
                    replaced[commit.revision] = nil
                    action = other
                }
                actions.append(action)
                byteCount += action.payload.byteCount
            }
            guard actions.count <= maxCount, byteCount <= maxBytes else {
                let detail = "must be lower: at most \(maxCount) actions, of \(maxBytes) bytes in all, are sent again"
                throw .invalid([.init(pointer: .through, detail: detail)], .fork)
            }
            revision = newest
        }
        guard replaced.isEmpty else {
            throw .invalid(replaced.keys.sorted().map(JSONSchema.Violation.init(unsent:)), .fork)
        }
        return actions
    }
}

extension JSONPointer {
    /// The last revision of a replay.
    static let through = JSONPointer(tokens: ["replay", "through"])

    /// The action that is sent in the place of another.
    static func replacement(of revision: Int) -> JSONPointer {
        JSONPointer(tokens: ["replay", "replace", String(revision)])
    }
}

extension JSONSchema.Violation {
    fileprivate init(unsent revision: Int) {
        self.init(
            pointer: .replacement(of: revision),
            detail: "is in the place of no action of a client that would be sent again")
    }
}
