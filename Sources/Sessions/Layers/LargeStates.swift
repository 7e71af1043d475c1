import StoreHosting
import Stores

/// Keeps event loops free: work that takes time in proportion to a large state is done on the threads of a ``WorkPool``.
struct LargeStates<Next: SessionHandler>: SessionHandler {
    private let pool: WorkPool
    private let memory: MemoryLimit
    /// Requests that wait for the same state share one read.
    private let reads = SharedWork<StateQuestion, SessionResult>()
    private let next: Next

    init(_ pool: WorkPool, _ memory: MemoryLimit, next: Next) {
        self.pool = pool
        self.memory = memory
        self.next = next
    }

    @inline(__always)
    func handle(_ request: SessionRequest, _ session: Session) throws(SessionFailure) -> Handling<SessionResult> {
        if session.isLarge || request.operation.isOfPast && (session.wasLarge || request.operation.isLong) {
            return try handleLarge(request, session)
        }
        switch request.operation {
        case .dispatch(let action): session.recordGrowth(action.body.count)
        case .run(let run) where run.isLong: return try handleLarge(request, session)
        case .run(let run): session.recordGrowth(run.byteCount)
        default: break
        }
        switch try next.handle(request, session) {
        case .now(let result):
            record(result, request)
            return .now(result)
        case .held(let result, let hold):
            record(result, request)
            return .held(result, hold)
        case .later(let run):
            return .later { () async throws(SessionFailure) in
                let result = try await run()
                record(result, request)
                return result
            }
        }
    }

    @inline(never)
    private func handleLarge(
        _ request: SessionRequest, _ session: Session
    ) throws(SessionFailure) -> Handling<SessionResult> {
        switch request.operation {
        case .dispatch(let action): return try commit(growth: action.body.count, request, session)
        case .run(let run) where !run.isEmpty: return try commit(growth: run.byteCount, request, session)
        case .read(let reading): return try read(reading, request, session)
        case .subscribe:
            return .later { () async throws(SessionFailure) in
                // The store remembers the encoded state, so the loop of the stream does not have to encode it.
                try await pool.run(for: .session(session.id)) { () async throws(SessionFailure) in
                    _ = session.store.read()
                }
                return try await next.handle(request, session).value()
            }
        case .fork:
            // To replay, decode and encode the state.
            try memory.requireRoom(for: 16 * session.largestSize)
        // These do not wait for the store, which may be busy with its state.
        case .log(let query) where !query.usesStore && request.visitor == nil: return try next.handle(request, session)
        case .perform(let command) where !command.usesStore && request.visitor == nil:
            return try next.handle(request, session)
        case .describe, .end, .log, .recall, .sync, .run, .perform: break
        }
        return .later { () async throws(SessionFailure) in
            try await pool.run(for: .session(session.id)) { () async throws(SessionFailure) in
                try await next.handle(request, session).value()
            }
        }
    }

    private func commit(
        growth: Int, _ request: SessionRequest, _ session: Session
    ) throws(SessionFailure) -> Handling<SessionResult> {
        // A fork shares its state with others until the first action, which may copy much of it.
        try memory.requireRoom(for: 4 * session.largestSize)
        session.recordGrowth(growth)
        return .later { () async throws(SessionFailure) in
            try await pool.run(for: .session(session.id)) { () async throws(SessionFailure) in
                let handling = try next.handle(request, session)
                session.measureIfNeeded()
                return handling
            }.value()
        }
    }

    private func read(
        _ reading: SessionOperation.Reading, _ request: SessionRequest, _ session: Session
    ) throws(SessionFailure) -> Handling<SessionResult> {
        // Once for the question and the read: a permit may be revoked in between, and then has no holder any more.
        let reading = try reading.resolved(in: session, by: request.principal)
        var shared = request.with(.read(reading))
        // The others that share the read have other permits.
        shared.permit = nil
        let question = StateQuestion(session: session, reading: reading, visitor: request.visitor)
        return .later { [shared] () async throws(SessionFailure) in
            try await reads.value(of: question) {
                (begin: @Sendable () -> Void) async throws(SessionFailure) in
                try await pool.run(for: .session(session.id)) { () async throws(SessionFailure) in
                    // A later question may have to see a later commit.
                    begin()
                    let result = try await next.handle(shared, session).value()
                    if reading.isWhole, case .document(let document) = result.content {
                        session.recordSize(document.body.count)
                    }
                    return result
                }
            }
        }
    }

    /// Takes the size of the newest state, or of a part of it.
    private func record(_ result: SessionResult, _ request: SessionRequest) {
        switch result.content {
        case .action(let answer): if let state = answer.state { result.session.recordSize(ofPart: state.count) }
        case .document(let document) where !request.operation.isOfPast:
            result.session.recordSize(ofPart: document.body.count)
        default: break
        }
    }
}

extension WorkPool {
    /// Asks a session something before its request comes to it: on a thread of the pool if its state is large.
    func asking<Value: Sendable>(
        _ session: Session, _ question: @escaping @Sendable () throws(SessionFailure) -> Handling<Value>
    ) throws(SessionFailure) -> Handling<Value> {
        guard session.isLarge else { return try question() }
        return .later { () async throws(SessionFailure) in
            try await self.run(for: .session(session.id)) { () async throws(SessionFailure) in
                try question()
            }.value()
        }
    }
}

/// Requests with the same question can share one read.
private struct StateQuestion: Hashable {
    let session: Session
    /// Its selection is resolved: a view of an actor names the actor.
    let reading: SessionOperation.Reading
    /// The actor that is asked for its right, if the state decides.
    let visitor: Actor?
}

extension SessionOperation.Reading {
    /// A read that means the same by whomever it is asked for.
    fileprivate func resolved(in session: Session, by principal: Credentials) throws(SessionFailure) -> Self {
        var reading = self
        reading.selection = .resolved(try selection.selection(in: session, by: principal))
        return reading
    }

    /// Whether it is a resolved one of the whole newest state.
    fileprivate var isWhole: Bool { revision == nil && selection == .resolved(.root) }
}
