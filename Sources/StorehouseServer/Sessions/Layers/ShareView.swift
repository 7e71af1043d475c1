import JSON
import Locks
import StoreHosting

/// Shows whoever comes by a share what the share shows, as long as it is valid, and ends what it has begun when it is revoked.
struct ShareView<Next: SessionHandler>: SessionHandler {
    let next: Next

    @inline(__always)
    func handle(_ request: SessionRequest, _ session: Session) throws(SessionFailure) -> Handling<SessionResult> {
        if case .share(let share) = request.principal { return try handle(request, by: share, session) }
        guard case .revokeShares = request.operation else { return try next.handle(request, session) }
        return try revoke(request, session)
    }

    @inline(never)
    private func revoke(
        _ request: SessionRequest, _ session: Session
    ) throws(SessionFailure) -> Handling<SessionResult> {
        let handling = try next.handle(request, session)
        return .later { () async throws(SessionFailure) in
            let result = try await handling.value()
            // It hibernated since it was found, and has its streams elsewhere.
            if session.continuesElsewhere { throw .detached }
            session.events.endRevoked()
            session.existingPermitWaits?.endRevoked()
            return result
        }
    }

    @inline(never)
    private func handle(
        _ request: SessionRequest, by share: Share, _ session: Session
    ) throws(SessionFailure) -> Handling<SessionResult> {
        guard share.isValid(in: session) else { throw share.refusal }
        var narrowed = request
        narrowed.permit = share
        narrowed.operation = try share.narrow(request.operation)
        let handling = try next.handle(narrowed, session)
        if case .now(let result) = handling { return .now(try Self.shown(result, of: narrowed)) }
        return .later { [narrowed] () async throws(SessionFailure) in
            let result = try await handling.value()
            // A client is told what its action has committed, also if its share was revoked meanwhile.
            if case .dispatch = narrowed.operation { return try Self.shown(result, of: narrowed) }
            guard share.isValid(in: session) else { throw share.refusal }
            return result
        }
    }

    /// The paths of a patch begin at what the share shows.
    private static func shown(
        _ result: SessionResult, of request: SessionRequest
    ) throws(SessionFailure) -> SessionResult {
        guard case .action(let answer) = result.content, let patch = answer.patch,
            case .dispatch(let action) = request.operation
        else { return result }
        var result = result
        let selection = answer.state == nil ? nil : try action.selection?.selection(of: result.session.kind)
        let projected: EncodedPatch =
            switch selection?.project(patch) ?? .unchanged {
            case .unchanged: EncodedPatch()
            case .patch(let patch): patch
            case .value, .needsValue: EncodedPatch([.init(.replace, "", answer.state ?? [])])
            }
        result.content = .action(answer.with(projected))
        return result
    }
}

extension Share: Permit {
    var refusal: SessionFailure { .share(.unknown) }

    /// The operation with what the share shows of the state.
    fileprivate func narrow(_ operation: SessionOperation) throws(SessionFailure) -> SessionOperation {
        switch operation {
        case .read(var reading):
            reading.selection = try narrow(reading.selection)
            return .read(reading)
        case .subscribe(var wanted):
            wanted.selection = try narrow(wanted.selection)
            wanted.isByShare = true
            return .subscribe(wanted)
        case .dispatch(let action):
            var key = action.key
            // Another client of the session may use the same key, and see more in its answers.
            key?.belongs(to: name)
            let selection = try action.selection.map(narrow)
            return .dispatch(action.with(selection: selection, key: key, hidesEffects: true))
        default: return operation
        }
    }

    /// The selection within what the share shows.
    func narrow(_ text: SelectionText) throws(SessionFailure) -> SelectionText {
        if selection == .root { return text }
        guard case .text(let text) = text else { throw refusal }
        // Selectors of the kind would show more than the share.
        do throws(JSONPointerError) {
            return .resolved(selection.appending(try JSONPointer(text)))
        } catch {
            throw .selection(.pointerIntoShare(error))
        }
    }
}
