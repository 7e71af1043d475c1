import Locks
import Security
import StoreHosting
import Stores

/// Runs each entry of a client's outbox once: compares the request with the record of the client, gives the outcomes again that it
/// has, and passes on the entries behind them.
struct Outbox<Next: SessionHandler>: SessionHandler {
    let limits: RateLimits
    let availability: Availability
    /// Makes the problem that a client reads.
    let encode: @Sendable (SessionFailure) -> [UInt8]
    let next: Next

    @inline(__always)
    func handle(_ request: SessionRequest, _ session: Session) throws(SessionFailure) -> Handling<SessionResult> {
        guard case .sync(let sync) = request.operation else { return try next.handle(request, session) }
        return try handle(request, sync, session)
    }

    @inline(never)
    private func handle(
        _ request: SessionRequest, _ sync: SyncRequest, _ session: Session
    ) throws(SessionFailure) -> Handling<SessionResult> {
        guard let body = sync.body else { preconditionFailure("a body is parsed before it comes to its session") }
        let client = ClientKey(body.client, try request.principal.clientScope(in: session))
        let call = Call(request: request, sync: sync, body: body, client: client, session: session)
        switch session.clients.begin(client) {
        case .begins: return try handle(call)
        case .tooMany: throw .unavailable(.actions)
        case .waits(let wait):
            return .later { () async throws(SessionFailure) in
                // Nobody reads the answer of one that has left.
                guard await session.clients.wait(wait) else { throw .unavailable(.actions) }
                return try await handle(call).value()
            }
        }
    }

    private struct Call: Sendable {
        let request: SessionRequest
        let sync: SyncRequest
        let body: SyncBody
        let client: ClientKey
        let session: Session
    }

    /// Handles a request in the turn of its client.
    private func handle(_ call: Call) throws(SessionFailure) -> Handling<SessionResult> {
        let handling: Handling<SessionResult>
        do throws(SessionFailure) {
            handling = try pass(try plan(call), call)
        } catch {
            call.session.clients.end(call.client)
            throw error
        }
        guard case .later(let rest) = handling else {
            call.session.clients.end(call.client)
            return handling
        }
        return .later { () async throws(SessionFailure) in
            defer { call.session.clients.end(call.client) }
            return try await rest()
        }
    }

    /// Passes on the entries that are not decided. If there is no room for the first of them, the answer has the kept outcomes alone.
    private func pass(_ run: EntryRun, _ call: Call) throws(SessionFailure) -> Handling<SessionResult> {
        do throws(SessionFailure) {
            let handling = try next.handle(call.request.with(.run(run)), call.session)
            guard case .later(let rest) = handling else { return handling }
            return .later { () async throws(SessionFailure) in
                do throws(SessionFailure) {
                    return try await rest()
                } catch {
                    return try await tellKnown(run, error, call).value()
                }
            }
        } catch {
            return try tellKnown(run, error, call)
        }
    }

    /// Answers with the kept outcomes, if no entry was run because there is no room now.
    private func tellKnown(
        _ run: EntryRun, _ failure: SessionFailure, _ call: Call
    ) throws(SessionFailure) -> Handling<SessionResult> {
        guard failure.isLackOfRoom, !run.isEmpty, !run.hasDecided else { throw failure }
        return try next.handle(call.request.with(.run(run.without(failure))), call.session)
    }

    private func plan(_ call: Call) throws(SessionFailure) -> EntryRun {
        let (body, client, session) = (call.body, call.client, call.session)
        let hashes = call.sync.hashes ?? body.hashes(of: client, in: session)
        let limits = runLimits(call)
        if body.isNew { return EntryRun(of: client, in: session, call.sync, isNew: true, from: 1, limits) }
        let plan = session.clients.withRecords { $0.plan(client, from: body.from, hashes) }
        switch plan {
        case .forgotten: throw .client(.forgotten)
        case .conflict(let from, let through): throw .client(.conflict(from: from, through: through))
        case .run(let replays, let from):
            let rest = zip(body.entries, hashes).dropFirst(replays.count).map(EntryRun.Entry.init)
            if !rest.isEmpty { try makeRoom(call) }
            return EntryRun(
                of: client, in: session, call.sync, rest, from: from + replays.count, replays: replays, limits)
        }
    }

    private func makeRoom(_ call: Call) throws(SessionFailure) {
        let room = call.session.clients.withRecords { $0.makeRoom(for: call.client, now: call.session.sessionTime) }
        if case .none(let retryAfter) = room { throw .client(.tooMany(retryAfter: retryAfter)) }
    }

    private func runLimits(_ call: Call) -> EntryRun.Limits {
        let isCounted = !call.request.isRepeated
        let (byteCount, id) = (call.sync.bytes.count, call.session.id)
        return EntryRun.Limits(
            admit: { [limits, availability] (actionCount) throws(SessionFailure) in
                try availability.require(.commit, forBodyOf: byteCount)
                if isCounted { try limits.admitActions(actionCount, to: id) }
            }, encode: encode)
    }
}

extension Credentials {
    /// The actor or permit that a client belongs to.
    package func clientScope(in session: Session) throws(SessionFailure) -> ClientScope {
        switch self {
        case .capability, .admin: return .holder
        case .token(let claims): return .actor(claims.actor) ?? .holder
        case .permit(let permit):
            guard let terms = permit.terms(in: session) else { throw .permit(.unknown) }
            return terms.holder.flatMap(ClientScope.actor) ?? .permit(terms.id)
        }
    }
}
