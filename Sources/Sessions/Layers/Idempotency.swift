import Locks
import Security
import StoreHosting
import Stores
import Synchronization

/// Answers a repeated request with the same Idempotency-Key as the first one was answered
/// (draft-ietf-httpapi-idempotency-key-header).
struct Idempotency<Next: SessionHandler>: SessionHandler {
    let clock: SessionClock
    /// Encodes a whole answer, for states that cannot be shown again.
    let encode: @Sendable (ActionAnswer) -> [UInt8]
    let next: Next

    @inline(__always)
    func handle(_ request: SessionRequest, _ session: Session) throws(SessionFailure) -> Handling<SessionResult> {
        guard case .dispatch(let action) = request.operation, let key = action.key, !action.isDryRun else {
            return try next.handle(request, session)
        }
        return try handle(request, action, key, session)
    }

    @inline(never)
    private func handle(
        _ request: SessionRequest, _ action: ActionRequest, _ key: IdempotencyKey, _ session: Session
    ) throws(SessionFailure) -> Handling<SessionResult> {
        guard let json = action.json else { return try next.handle(request, session) }
        // A fault of the request must not use up its key.
        let selection = try action.selection?.selection(in: session, by: request.principal)
        let fingerprint = RequestFingerprint(action.body, json, redacted: session.kind.redacted(json))
        switch session.idempotencyCache.admit(key.text, fingerprint, now: clock.expiryTime()) {
        case .new: return try handleFirst(request, action, key, fingerprint, selection, session)
        case .replay(let record): return try replay(record, request, action, session)
        case .inProgress: throw refuse(.key(.inProgress), action, request, session)
        case .mismatch: throw refuse(.key(.mismatch), action, request, session)
        case .full(let retryAfter): throw .key(.tooMany(retryAfter: retryAfter))
        }
    }

    private func refuse(
        _ failure: SessionFailure, _ action: ActionRequest, _ request: SessionRequest, _ session: Session
    ) -> SessionFailure {
        // The store may be busy with the first request.
        session.remember(failure, of: action, by: request.principal, at: nil)
        return failure
    }

    private func handleFirst(
        _ request: SessionRequest, _ action: ActionRequest, _ key: IdempotencyKey,
        _ fingerprint: RequestFingerprint, _ selection: Selection?, _ session: Session
    ) throws(SessionFailure) -> Handling<SessionResult> {
        let answers = AnswerRecorder(key.text, fingerprint, action, selection, session, encode)
        let recorded = action.with(selection: selection.map(SelectionText.resolved)) { (result: DispatchResult) in
            answers.record(result).map(DispatchRecord.answer)
        }
        let request = request.with(.dispatch(recorded))
        let handling: Handling<SessionResult>
        do throws(SessionFailure) {
            handling = try next.handle(request, session)
        } catch {
            answers.abandon()
            throw error
        }
        if case .now(let result) = handling, answers.isComplete(result) { return .now(result) }
        return .later { () async throws(SessionFailure) in
            let result: SessionResult
            do throws(SessionFailure) {
                result = try await handling.value()
            } catch {
                answers.abandon()
                throw error
            }
            guard !answers.isComplete(result), case .action(let answer) = result.content else { return result }
            return await remember(answer, answers, request, result)
        }
    }

    /// Stores the answer that was waited for, before it leaves: a repeated request must not get what a crash could take back.
    private func remember(
        _ answer: ActionAnswer, _ answers: AnswerRecorder, _ request: SessionRequest, _ result: SessionResult
    ) async -> SessionResult {
        let record = answers.record(answer)
        do throws(SessionFailure) {
            _ = try await next.handle(request.with(.perform(RecordedAnswer(record: record))), result.session).value()
            answers.publish(record)
            return result
        } catch {
            // The action is committed, so its key must stay known: with the answer whose record was stored with the commits.
            guard let first = answers.first else { return result }
            answers.publish(answers.record(first))
            var result = result
            result.content = .action(first)
            return result
        }
    }

    /// Answers as the first request with the key was answered. The state is that of the same revision.
    private func replay(
        _ record: IdempotencyRecord, _ request: SessionRequest, _ action: ActionRequest, _ session: Session
    ) throws(SessionFailure) -> Handling<SessionResult> {
        let response = ActionResponse(encoded: record.response)
        let selection = record.revision == nil ? nil : response?.selection
        // Without a state this passes the lock of the store, which appends the record to the journal before it releases the lock.
        let question = SessionOperation.recall(
            selection.map(SelectionText.resolved), revision: selection == nil ? nil : record.revision)
        let answer: @Sendable (SessionResult) -> SessionResult = { shown in
            var result = shown
            guard let response else {
                // The message has a state.
                if case .refused(.forbidden) = shown.content { return shown }
                result.content = .remembered(record.response)
                return result
            }
            let state: [UInt8]? =
                if case .state(let state) = shown.content, selection != nil { state.json } else { nil }
            let answer = ActionAnswer.Other(
                response: response, state: state, hidesEffects: action.hidesEffects, isReplayed: true)
            result.content = .action(.other(answer))
            return result
        }
        switch try next.handle(request.with(question), session) {
        case .now(let shown): return .now(answer(shown))
        case let handling: return .later { () async throws(SessionFailure) in answer(try await handling.value()) }
        }
    }
}

/// Records the answer to the first request with an Idempotency-Key.
private final class AnswerRecorder: Sendable {
    private let key: String
    private let fingerprint: RequestFingerprint
    private let action: ActionRequest
    private let selection: Selection?
    private let session: Session
    private let encode: @Sendable (ActionAnswer) -> [UInt8]
    private let isPublished = Atomic(false)
    // Guards the answer before the effects have settled. Taken inside the store; nothing is called while it is held.
    private let unsettled = Locked<ActionAnswer?>(nil)

    init(
        _ key: String, _ fingerprint: RequestFingerprint, _ action: ActionRequest, _ selection: Selection?,
        _ session: Session, _ encode: @escaping @Sendable (ActionAnswer) -> [UInt8]
    ) {
        self.key = key
        self.fingerprint = fingerprint
        self.action = action
        self.selection = selection
        self.session = session
        self.encode = encode
    }

    /// Makes the record that becomes durable together with the commits. Called inside the store. If the answer waits for effects,
    /// another record replaces this one when they have settled.
    func record(_ result: DispatchResult) -> IdempotencyRecord? {
        switch result.outcome {
        case .committed, .ignored:
            let answer = ActionAnswer.first(result, to: action)
            let record = record(answer)
            if action.wait != nil { unsettled.withLock { $0 = answer } }
            if action.wait == nil || !result.hasFollowUps { publish(record) }
            return record
        case .rejected(let rejection, let index):
            let response = ActionResponse(
                .rejected(reason: rejection.reason, index: index), revision: result.revision)
            let record = record(response, message: nil)
            publish(record)
            return record
        case .refused, .forbidden, .revisionMismatch, .overloaded, .ended: return nil
        }
    }

    func record(_ answer: ActionAnswer) -> IdempotencyRecord {
        let isWhole = answer.state != nil && !session.canReplayStates
        var response = answer.response
        response.selection = answer.state == nil ? nil : selection
        return record(
            response, hasState: answer.state != nil, message: isWhole ? encode(answer) : nil)
    }

    /// - Parameter message: the whole message, if the state cannot be shown again.
    private func record(_ response: ActionResponse, hasState: Bool = false, message: [UInt8]?) -> IdempotencyRecord {
        IdempotencyRecord(
            key: key, fingerprint: fingerprint.persistent, response: message ?? response.encoded,
            revision: hasState && message == nil ? response.revision : nil, at: session.sessionTime)
    }

    /// Repeated requests get this answer from now on.
    func publish(_ record: IdempotencyRecord) {
        isPublished.store(true, ordering: .releasing)
        session.idempotencyCache.store(record)
    }

    /// The answer whose record became durable with the commits; nil if the action was not awaited.
    var first: ActionAnswer? { unsettled.withLock(\.self) }

    /// Whether nothing is left to be recorded. If there is nothing to remember, the next request with the key is a new one.
    func isComplete(_ result: SessionResult) -> Bool {
        if isPublished.load(ordering: .acquiring) { return true }
        if case .action = result.content { return false }
        abandon()
        return true
    }

    func abandon() { session.idempotencyCache.abandon(key) }
}

extension Session {
    /// Whether an earlier state can be shown again with the same bytes.
    fileprivate var canReplayStates: Bool { journal != nil && kind.isRestorable }
}

/// Gives the journal the answer to a request with an Idempotency-Key, without a commit.
private struct RecordedAnswer: SessionCommand {
    let record: IdempotencyRecord

    var right: Permission? { nil }
    var usesStore: Bool { true }

    func perform(on session: Session) -> SessionResult.Content {
        guard let journal = session.journal else { return .done }
        session.store.inspect { state in
            journal.append(CommitTransaction(baseRevision: state.revision, record: .answer(record)), state)
        }
        return .done
    }
}
