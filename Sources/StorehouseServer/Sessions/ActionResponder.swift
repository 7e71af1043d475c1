import HTTP
import HTTPServer
import Sockets
import StoreHosting
import Stores
import Synchronization

/// Answers one action: once, and with nothing that is not durable.
///
/// It holds all that the answer takes in one object. An action that can be answered at once does without.
final class ActionResponder: Sendable {
    let request: ActionRequest
    private let session: Session
    private let deferred: RequestContext.Deferred
    private let api: ActionAPI
    private let recorder: IdempotencyRecorder?
    /// Of the effects and the deadline, the first decides the response.
    private let isDecided = Atomic(false)
    private let start: LoopInstant

    /// - Parameter start: when the action was dispatched.
    init(
        _ request: consuming ActionRequest, _ session: Session, _ deferred: consuming RequestContext.Deferred,
        _ api: ActionAPI, _ recorder: IdempotencyRecorder? = nil, since start: LoopInstant = .current
    ) {
        self.request = request
        self.session = session
        self.deferred = deferred
        self.api = api
        self.recorder = recorder
        self.start = start
    }

    /// The share by which the client came; nil if it knows the session's id.
    var share: Share? { request.share }

    /// Requires, if the client came by a share, that it may still use it: it may have waited for a thread.
    func requireValidShare() throws(Problem) {
        if let share, !share.isValid(in: session) { throw Problem(.share(.unknown)) }
    }

    /// Takes the store's result.
    func respond(_ result: DispatchResult) {
        let isDryRun = request.options.isDryRun
        let metrics = session.runtime.metrics
        guard !session.isDurable else {
            metrics.recordDispatch(result, isDryRun: isDryRun, since: start)
            return respondDurably(result)
        }
        let committed = metrics.dispatched(result, isDryRun: isDryRun, since: start)
        let isCommit = result.isCommitted && !isDryRun
        // The action's commit comes first: if it is lost, so is all that would follow.
        session.whenDurable { [self] failure in
            if let failure { return fail(Problem(failure)) }
            if isCommit { metrics.committed(from: committed, to: .current) }
            respondDurably(result)
        }
    }

    /// Takes the store's result once the action's commit is durable.
    private func respondDurably(_ result: DispatchResult) {
        do throws(Problem) {
            try result.requireDone(in: session)
            guard let wait = request.wait else { return respond(to: result) }
            guard !result.isSettled else { return respondOnLoop(result) }
            if let time = timeToRead, time < wait {
                deferred.schedule(after: time) { [self] in expire(result) }
            } else {
                deferred.schedule(after: wait) { [self] in respondWithCurrentState(result) }
            }
            result.whenSettled { [self] in respondOnLoop(result) }
            if let share { awaitRevocation(of: share, result) }
        } catch {
            fail(error)
        }
    }

    /// How long the client may still read; nil for ever.
    private var timeToRead: Duration? { request.expiresAt.map { .milliseconds(max(0, $0 - session.now)) } }

    private func respond(to result: DispatchResult) {
        if let state = result.state { session.recordSize(ofPart: state.json.count) }
        guard !deferred.answerIfOnLoop({ request.message(for: result) }) else { return }
        deferred.executeOnLoop { [self] in _ = deferred.answerIfOnLoop { request.message(for: result) } }
    }

    /// Leaves the thread that reported the end of the wait. It may be the journal's writer, and a session whose action runs
    /// for long must not stop the writer.
    private func respondOnLoop(_ result: DispatchResult) {
        resumeOnLoop { [self] in respondWithCurrentState(result) }
    }

    /// Calls `body` on the connection's loop, also if the client is gone. What `body` throws is the response.
    func resumeOnLoop(_ body: @escaping @Sendable () throws(Problem) -> Void) {
        let run: @Sendable () -> Void = { [self] in
            do throws(Problem) {
                try body()
            } catch {
                fail(error)
            }
        }
        deferred.resume({ _ in run() }, ifGone: run)
    }

    /// Reads the state, then waits until what was read is durable, and the response to repeat with it.
    ///
    /// If what was read is lost, the response shows the action's own commit, which is durable: a 503 would say that nothing
    /// was committed.
    private func respondWithCurrentState(_ result: DispatchResult) {
        guard decide() else { return }
        api.runOffLoop(session) { [self] in readCurrentState(result) }
    }

    private func readCurrentState(_ result: DispatchResult) {
        if recorder?.isFinal == true { return respond(to: result) }
        guard timeToRead != .zero else { return respondEarly(result) }
        let (response, state) = request.currentResponse(to: result, session)
        recorder?.recordFinal(response, showing: state)
        session.whenDurable(through: response.revision) { [self] failure in
            // A client whose share was revoked meanwhile may not see what came later.
            let isShown = failure == nil && share?.isValid(in: session) ?? true
            deferred.answer { [self] in
                guard isShown else { return request.earlyMessage(for: result) }
                return response.message(showing: state, of: session.historyID, hidesEffects: share != nil)
            }
        }
    }

    /// - Returns: false if the response is decided already.
    private func decide() -> Bool {
        guard !isDecided.exchange(true, ordering: .acquiringAndReleasing) else { return false }
        if share != nil { session.existingShareWaits?.remove(self) }
        return true
    }

    /// The client's token or share expires, or its share is revoked, before the wait is over.
    private func expire(_ result: DispatchResult) {
        guard decide() else { return }
        if recorder?.isFinal == true { respond(to: result) } else { respondEarly(result) }
    }

    /// Answers a client that may no longer read: with the action's own commit, and nothing that came later.
    private func respondEarly(_ result: DispatchResult) {
        recorder?.recordFinal(request.earlyResponse(to: result), showing: result.state?.json)
        deferred.answer { [self] in request.earlyMessage(for: result) }
    }

    func fail(_ problem: Problem) {
        recorder?.abandon()
        // A session that hibernates has not ended: it can be found again.
        if problem.code == .sessionEnded, session.continuesElsewhere, api.redispatch(session.id, deferred) { return }
        deferred.refuse(problem)
    }
}

// Waits of clients with a share.
extension ActionResponder {
    /// Ends the wait when the share is revoked.
    private func awaitRevocation(of share: Share, _ result: DispatchResult) {
        let end: @Sendable () -> Void = { [self] in
            if !share.isValid(in: session) { resumeOnLoop { [self] in expire(result) } }
        }
        session.shareWaits.add(self, revoked: end)
        // Both may have happened before the wait was added.
        if isDecided.load(ordering: .acquiring) { session.shareWaits.remove(self) } else { end() }
    }
}

/// Records the response to an action with an Idempotency-Key.
final class IdempotencyRecorder: Sendable {
    private let key: String
    private let fingerprint: RequestFingerprint
    private let request: ActionRequest
    private let session: Session
    private let hasFinalResponse = Atomic(false)

    init(_ key: String, _ fingerprint: RequestFingerprint, _ request: ActionRequest, _ session: Session) {
        self.key = key
        self.fingerprint = fingerprint
        self.request = request
        self.session = session
    }

    /// Whether the response to the dispatch itself was recorded as the one that repeated requests get.
    var isFinal: Bool { hasFinalResponse.load(ordering: .acquiring) }

    /// Makes the record that becomes durable together with the commits. Called inside the store. If the response waits
    /// for effects, another record replaces this one when they have settled.
    func record(_ result: DispatchResult) -> IdempotencyRecord? {
        switch result.outcome {
        case .committed, .ignored:
            let record = record(request.response(to: result), showing: result.state?.json)
            if request.wait == nil || result.isSettled { publish(record) }
            return record
        case .rejected(let rejection, let index):
            let response = ActionResponse(
                .rejected(reason: rejection.reason, index: index), revision: result.revision)
            let record = record(response, showing: nil)
            publish(record)
            return record
        case .refused, .revisionMismatch, .overloaded, .ended: return nil
        }
    }

    /// Records the response for which effects were awaited.
    func recordFinal(_ response: ActionResponse, showing state: [UInt8]?) {
        let record = record(response, showing: state)
        // The journal comes first: a repeated request must not get what a crash could take back.
        session.record(record)
        publish(record)
    }

    /// Nothing is remembered: the next request with the key is a new one.
    func abandon() { session.idempotencyCache.abandon(key) }

    private func record(_ response: ActionResponse, showing state: [UInt8]?) -> IdempotencyRecord {
        var response = response
        if state != nil { response.selection = request.options.selection }
        let isWhole = state != nil && !session.canReplayStates
        return IdempotencyRecord(
            key: key, fingerprint: fingerprint.persistent,
            response: isWhole ? whole(response, state) : response.encoded,
            revision: state == nil || isWhole ? nil : response.revision, at: session.sessionTime)
    }

    private func whole(_ response: ActionResponse, _ state: [UInt8]?) -> [UInt8] {
        response.message(showing: state, of: "", hidesEffects: request.share != nil).serialized
    }

    /// Repeated requests get this response from now on.
    private func publish(_ record: IdempotencyRecord) {
        hasFinalResponse.store(true, ordering: .releasing)
        session.idempotencyCache.store(record)
    }
}
