import HTTP
import HTTPServer
import Locks
import StoreHosting
import Stores
import Synchronization

/// Answers one action: once, and with nothing that is not durable.
///
/// It holds all that the answer takes in one object, since each action allocates one.
final class ActionResponder: Sendable {
    private let request: ActionRequest
    private let session: Session
    private let deferred: RequestContext.Deferred
    private let api: ActionAPI
    private let recorder: IdempotencyRecorder?
    /// Of the effects and the deadline, the first decides the response.
    private let isDecided = Atomic(false)

    init(
        _ request: ActionRequest, _ session: Session, _ deferred: RequestContext.Deferred, _ api: ActionAPI,
        _ recorder: IdempotencyRecorder? = nil
    ) {
        self.request = request
        self.session = session
        self.deferred = deferred
        self.api = api
        self.recorder = recorder
    }

    /// Takes the store's result.
    func respond(_ result: DispatchResult) {
        guard !session.isDurable else { return respondDurably(result) }
        // The action's commit comes first: if it is lost, so is all that would follow.
        session.whenDurable { [self] failure in
            if let failure { fail(Problem(failure)) } else { respondDurably(result) }
        }
    }

    /// Takes the store's result once the action's commit is durable.
    private func respondDurably(_ result: DispatchResult) {
        do throws(Problem) {
            try result.requireDone()
            guard let wait = request.wait else { return respond(to: result) }
            guard !result.isSettled else { return respondOnLoop(result) }
            deferred.schedule(after: wait) { [self] in respondWithCurrentState(result) }
            result.whenSettled { [self] in respondOnLoop(result) }
        } catch {
            fail(error)
        }
    }

    private func respond(to result: DispatchResult) {
        if let response = recorder?.finalResponse { return deferred.answer { response } }
        guard !deferred.answerIfOnLoop({ request.response(to: result) }) else { return }
        deferred.answer { [self] in request.response(to: result) }
    }

    /// Leaves the thread that reported the end of the wait. It may be the journal's writer, and a session whose action runs
    /// for long must not stop the writer.
    private func respondOnLoop(_ result: DispatchResult) {
        deferred.resume { [self] _ in
            respondWithCurrentState(result)
        } ifGone: { [self] in
            respondWithCurrentState(result)
        }
    }

    /// Reads the state, then waits until what was read is durable, and the response to repeat with it.
    ///
    /// If what was read is lost, the response shows the action's own commit, which is durable: a 503 would say that nothing
    /// was committed.
    private func respondWithCurrentState(_ result: DispatchResult) {
        guard !isDecided.exchange(true, ordering: .acquiringAndReleasing) else { return }
        let current = request.currentResponse(to: result, session)
        let response = recorder?.recordFinal(current) ?? current
        session.whenDurable(through: response.revision ?? 0) { [self] failure in
            deferred.answer { [self] in failure == nil ? response : request.response(to: result) }
        }
    }

    private func fail(_ problem: Problem) {
        recorder?.abandon()
        // A session that hibernates has not ended: it can be found again.
        if problem.code == .sessionEnded, session.continuesElsewhere, api.redispatch(session.id, deferred) { return }
        deferred.answer { problem.response }
    }
}

/// Records the response to an action with an Idempotency-Key.
final class IdempotencyRecorder: Sendable {
    private let key: String
    private let fingerprint: RequestFingerprint
    private let request: ActionRequest
    private let session: Session
    /// The final response that was recorded; nil if a later response may replace it. Taken inside the store's lock.
    private let final = Locked<Response?>(nil)

    init(_ key: String, _ fingerprint: RequestFingerprint, _ request: ActionRequest, _ session: Session) {
        self.key = key
        self.fingerprint = fingerprint
        self.request = request
        self.session = session
    }

    var finalResponse: Response? { final.withLock { $0 } }

    /// Makes the record that becomes durable together with the commits. Called inside the store. If the response waits
    /// for effects, another record replaces this one when they have settled.
    func record(_ result: DispatchResult) -> IdempotencyRecord? {
        switch result.outcome {
        case .committed, .ignored:
            let response = request.response(to: result)
            let record = record(response)
            if request.wait == nil || result.isSettled { replay(response, record) }
            return record
        case .rejected:
            do throws(Problem) {
                try result.requireDone()
                return nil
            } catch {
                let record = record(error.response)
                replay(error.response, record)
                return record
            }
        case .refused, .revisionMismatch, .overloaded, .ended: return nil
        }
    }

    /// Records the response for which effects were awaited, unless the response was final already.
    ///
    /// - Returns: the response that a repeated request gets.
    func recordFinal(_ response: Response) -> Response {
        if let earlier = finalResponse { return earlier }
        let record = record(response)
        // The journal comes first: a repeated request must not get what a crash could take back.
        session.record(record)
        replay(response, record)
        return response
    }

    /// Nothing is remembered: the next request with the key is a new one.
    func abandon() { session.answers.abandon(key) }

    private func record(_ response: Response) -> IdempotencyRecord {
        IdempotencyRecord(key: key, fingerprint: fingerprint.persistent, response: response.serialized, at: session.now)
    }

    /// Repeated requests get this response from now on.
    private func replay(_ response: Response, _ record: IdempotencyRecord) {
        final.withLock { $0 = response }
        session.answers.store(record)
    }
}
