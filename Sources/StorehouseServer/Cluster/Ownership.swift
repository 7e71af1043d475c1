import HTTPServer
import Sessions

/// Finds the session of a request: in memory, in the storage, or on the node that has it.
struct Ownership: Sendable {
    let registry: SessionRegistry
    /// Nil if all sessions are in memory.
    let locator: SessionLocator?
    let personal: PersonalSessions
    /// Nil outside of a cluster.
    let transfer: SessionTransfer?

    /// Whether no session can leave while a request uses it.
    var isFixed: Bool { transfer == nil }

    func find(_ target: SessionTarget, _ context: RequestContext) throws(SessionFailure) -> Handling<Located> {
        switch target {
        case .id(let id): find(id, context)
        case .personal(let request):
            try personal.find(request) { [locator, client = RoutedClient(context)] id async throws(SessionFailure) in
                guard let locator else { return Located(.unknown) }
                return try await locator.find(id, for: client)
            }
        }
    }

    func find(_ id: SessionID, _ context: RequestContext) -> Handling<Located> {
        if let session = registry.usable(id) { return .now(Located(.session(session))) }
        let permit = context.permit
        if let found = registry.find(id) { return shown(Located(found), to: permit) }
        guard let locator else { return .now(Located(.unknown)) }
        let client = RoutedClient(context)
        return .later { () async throws(SessionFailure) in
            try await shown(try await locator.find(id, for: client), to: permit).value()
        }
    }

    /// For a permit that was not in force when its session ended, there is no such session.
    private func shown(_ located: Located, to permit: (any Permit)?) -> Handling<Located> {
        guard let permit, case .ended? = located.found else { return .now(located) }
        return .later { () async throws(SessionFailure) in
            try await registry.wasInForce(permit) ? located : Located(.unknown)
        }
    }

    /// Begins the use of a session, if the request may use it now. If not, ``findAgain(_:_:for:)`` waits until that is decided.
    func begin(_ context: RequestContext, for session: Session, isUse: Bool) -> Bool {
        transfer?.begin(context, for: session, isUse: isUse) ?? true
    }

    func findAgain(
        _ located: Located, _ target: SessionTarget, for client: RoutedClient
    ) async throws(SessionFailure) -> Located {
        if let transfer, case .session(let session)? = located.found {
            await transfer.awaitDecision(on: session, for: client)
        }
        guard let context = client.here else { return Located(nil) }
        var again = try await find(target, context).value()
        again.mayBeDone = again.mayBeDone || located.mayBeDone
        return again
    }
}
