import JSON
import Locks
import StoreHosting

/// Shows whoever comes by a permit, such as a share, what that shows, as long as it is valid, and ends what it has begun when it is
/// revoked.
package struct ShareView<Next: SessionHandler>: SessionHandler {
    let next: Next

    package init(next: Next) { self.next = next }

    @inline(__always)
    package func handle(
        _ request: SessionRequest, _ session: Session
    ) throws(SessionFailure) -> Handling<SessionResult> {
        if case .permit(let permit) = request.principal { return try handle(request, by: permit, session) }
        guard case .perform(let command) = request.operation, let command = command as? any PermitCommand else {
            return try next.handle(request, session)
        }
        return try change(request, command, session)
    }

    @inline(never)
    private func change(
        _ request: SessionRequest, _ command: any PermitCommand, _ session: Session
    ) throws(SessionFailure) -> Handling<SessionResult> {
        let handling = try next.handle(request, session)
        return .later { () async throws(SessionFailure) in
            let result = try await handling.value()
            // It hibernated since it was found, and has its streams and permits elsewhere.
            if session.continuesElsewhere { throw .detached }
            // It may be known already which permits were in force at its end.
            if session.hasEnded { throw .absent(.endedMeanwhile) }
            guard command.isRevocation else { return result }
            session.existingPermitWaits?.endRevoked()
            // An action by the permit may be in the store. It is committed before the answer, and later ones are refused.
            if session.permits.areInUse {
                _ = try await next.handle(request.with(.perform(StorePassage())), session).value()
            }
            return result
        }
    }

    @inline(never)
    private func handle(
        _ request: SessionRequest, by permit: any Permit, _ session: Session
    ) throws(SessionFailure) -> Handling<SessionResult> {
        guard permit.isValid(in: session) else { throw .permit(.unknown) }
        var narrowed = request
        narrowed.permit = permit
        narrowed.operation = try permit.narrow(request.operation, of: session)
        let handling = try next.handle(narrowed, session)
        if case .now(let result) = handling {
            // Another thread may have revoked it, and a third one have committed what was read.
            guard narrowed.operation.isDispatch || permit.isValid(in: session) else { throw .permit(.unknown) }
            return .now(try Self.shown(result, of: narrowed))
        }
        return .later { [narrowed] () async throws(SessionFailure) in
            let result = try await handling.value()
            // A client is told what its action has committed, also if its permit was revoked meanwhile.
            if narrowed.operation.isDispatch { return try Self.shown(result, of: narrowed) }
            guard permit.isValid(in: session) else { throw .permit(.unknown) }
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

extension SessionOperation {
    /// Whether the client is told what was committed, also if its permit is revoked meanwhile.
    fileprivate var isDispatch: Bool {
        switch self {
        case .dispatch, .sync: true
        default: false
        }
    }
}
