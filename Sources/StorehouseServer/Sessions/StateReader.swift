import Dispatch
import HTTP
import JSON
import Locks
import StoreHosting
import Stores

/// Reads the states of large sessions on the threads of a ``WorkPool``.
///
/// Requests that wait for the same state share one read. Earlier states that were replayed last are remembered.
final class StateReader: Sendable {
    /// A state as the body of a response.
    struct Document: Sendable {
        let revision: Int
        let body: [UInt8]

        init(_ state: EncodedState) {
            revision = state.revision
            var json = JSONWriter(reservingCapacity: max(1024, state.json.count + 64))
            json.object { json in
                json.member("revision", state.revision)
                json.member("state", raw: state.json)
            }
            body = json.finishLine()
        }
    }

    typealias Done = @Sendable (Result<Document, Problem>) -> Void

    private struct Question: Hashable {
        let session: Session
        /// Nil for the state now.
        let revision: Int?
        let selection: Selection
    }

    private struct PastRevision: Hashable {
        let session: ObjectIdentifier
        let revision: Int
    }

    private struct Contents {
        var waiting: [Question: [Done]] = [:]
        var past = ByteCache<PastRevision, PastState>(maxBytes: 128 << 20)
    }

    let pool: WorkPool
    // Guards the waiting requests and the remembered states. Nothing is called while it is held.
    private let contents = Locked(Contents())

    init(_ pool: WorkPool) { self.pool = pool }

    /// Reads the state: now, or at a revision once everything committed so far is durable. Calls `done` once, on any thread.
    func read(_ selection: Selection, of session: Session, at revision: Int?, done: @escaping Done) {
        let question = Question(session: session, revision: revision, selection: selection)
        guard let revision else {
            return share(question, done) { () throws(Problem) in
                let state = session.store.read(selection)
                if selection == .root { session.recordSize(state.json.count) }
                return Document(state)
            }
        }
        session.whenDurable { [self] failure in
            if let failure { return done(.failure(Problem(failure))) }
            share(question, done) { [self] () throws(Problem) in
                if let newest = session.read(selection, ifAt: revision) { return Document(newest) }
                let state = try past(of: session, at: revision).snapshot
                let json = try session.kind.selected(selection, of: state)
                return Document(EncodedState(revision: revision, json: json))
            }
        }
    }

    /// Answers with what `make` returns on a thread of the pool, once everything that is committed so far is durable.
    ///
    /// - Parameters:
    ///   - session: the session whose turn it takes.
    ///   - make: returns the response, and the session that it is about.
    func respond(
        to context: RequestContext, about session: Session,
        _ make: @escaping @Sendable () throws(Problem) -> (session: Session, response: Response)
    ) {
        let deferred = context.deferred
        session.whenDurable { [pool] failure in
            do throws(Problem) {
                if let failure { throw Problem(failure) }
                try pool.run(for: .session(session.id)) {
                    let made = Result { () throws(Problem) in try make() }
                    deferred.resume { context throws(Problem) in
                        let made = try made.get()
                        context.answer(made.response, about: made.session)
                    }
                }
            } catch {
                deferred.answer { error.response }
            }
        }
    }

    /// Computes an answer once for all equal questions that are asked before the computation begins. A later question may
    /// have to see a later commit.
    private func share(
        _ question: Question, _ done: @escaping Done,
        _ compute: @escaping @Sendable () throws(Problem) -> Document
    ) {
        let isFirst = contents.withLock { contents in
            defer { contents.waiting[question, default: []].append(done) }
            return contents.waiting[question] == nil
        }
        guard isFirst else { return }
        do throws(Problem) {
            try pool.run(for: .session(question.session.id)) { [self] in
                let waiting = take(question)
                let answer = Result { () throws(Problem) in try compute() }
                for done in waiting { done(answer) }
            }
        } catch {
            for done in take(question) { done(.failure(error)) }
        }
    }

    private func take(_ question: Question) -> [Done] {
        contents.withLock { $0.waiting.removeValue(forKey: question) } ?? []
    }

    /// The state at a revision, replayed unless it is remembered. Waits for the storage, so not on an event loop.
    func past(of session: Session, at revision: Int) throws(Problem) -> PastState {
        let key = PastRevision(session: ObjectIdentifier(session), revision: revision)
        // A new session may have the address of one that is gone, so compare the object too.
        if let known = contents.withLock({ $0.past[key] }), known.session === session { return known }
        let found = Locked<Result<StateSnapshot, Problem>?>(nil)
        let isFound = DispatchSemaphore(value: 0)
        session.state(at: revision) { result in
            found.withLock { $0 = result }
            isFound.signal()
        }
        isFound.wait()
        guard let result = found.withLock({ $0 }) else { throw Problem(JournalError.unavailable("")) }
        let state = PastState(session, try result.get())
        contents.withLock { $0.past.insert(state, for: key, bytes: state.byteCount) }
        return state
    }
}

/// An earlier state of a session. The forks that begin with it share its memory.
final class PastState: Sendable {
    private struct Decoded {
        let state: RestoredState
        /// The state as the first fork has encoded it.
        var json: [UInt8]?
    }

    let snapshot: StateSnapshot
    fileprivate weak let session: Session?
    // Guards the decoded state. The state is decoded and encoded while it is held, so that this is done once.
    private let decoded = Locked<Decoded?>(nil)

    init(_ session: Session, _ snapshot: StateSnapshot) {
        self.session = session
        self.snapshot = snapshot
    }

    /// About how many bytes it takes: as JSON, decoded, and encoded for a fork.
    var byteCount: Int { 4 * snapshot.json.count }

    /// A store that begins with the state at its revision 0.
    ///
    /// - Parameter label: names the session in the log.
    func makeStore(
        of kind: KindRuntime, _ recorder: (any CommitRecorder)?, label: String
    ) throws(Problem) -> HostedStore {
        try decoded.withLock { (decoded) throws(Problem) in
            var known = if let decoded { decoded } else { Decoded(state: try kind.restored(snapshot)) }
            let store = known.state.makeStore(
                environment: kind.environment, recorder: recorder, revision: 0,
                maxStateBytes: kind.limits.maxStateBytes, label: label, json: known.json)
            known.json = known.json ?? store.read().json
            decoded = known
            return store
        }
    }
}
