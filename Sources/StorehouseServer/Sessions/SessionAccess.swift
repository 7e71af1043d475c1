import HTTP
import Security
import StoreHosting
import Stores

/// The one way from a request to a session, for actions, reads, streams, forks and deletion alike.
final class SessionAccess: Sendable {
    typealias Use = @Sendable (Session, RequestContext) throws(Problem) -> Void
    typealias Otherwise = @Sendable (RequestContext) throws(Problem) -> Void

    private let registry: SessionRegistry
    /// Nil if all sessions are in memory.
    private let locator: SessionLocator?
    private let personal: PersonalSessions
    /// Nil outside of a cluster.
    private let handovers: Handovers?
    /// Handles the requests of those who have access.
    let chain: SessionChain

    init(
        _ registry: SessionRegistry, _ locator: SessionLocator?, _ personal: PersonalSessions, _ handovers: Handovers?,
        chain: SessionChain
    ) {
        self.chain = chain
        self.registry = registry
        self.handovers = handovers
        self.locator = locator
        self.personal = personal
    }

    /// Calls `use` with the session that a path names, on the connection's loop: at once if it is in memory, else when it is
    /// loaded. The credentials of the request must allow it.
    ///
    /// - Parameters:
    ///   - permission: what is going to be done.
    ///   - isUse: whether this counts as use of the session, if the credentials allow it.
    ///   - ifEnded: answers if the session has ended; nil for the problem `session-ended`.
    func authorizedSession(
        _ segment: PathSegment, for permission: Permission, _ context: RequestContext, isUse: Bool = true,
        ifEnded: Otherwise? = nil,
        _ use: @escaping Use
    ) throws(Problem) {
        if let share = context.share {
            return try authorizedSession(share.session, for: permission, context, isUse: isUse, use)
        }
        if segment == "me", let subject = context.credentials.subject {
            try context.credentials.require(permission)
            return try personal.withSession(of: subject, context) { [self] session, context throws(Problem) in
                context.logs(session)
                if let handovers, !handovers.admits(context, to: session, isUse: true) {
                    return handovers.wait(for: session, context) { [self] context throws(Problem) in
                        try authorizedSession(segment, for: permission, context, isUse: isUse, ifEnded: ifEnded, use)
                    }
                }
                registry.touch(session)
                try use(session, context)
            }
        }
        guard let id = SessionID(segment.decoded) else {
            guard segment == "me" else { throw Problem(.absent(.session)) }
            throw Problem(.absent(.personal))
        }
        try authorizedSession(id, for: permission, context, isUse: isUse, ifEnded: ifEnded, use)
    }

    /// The session that a path names, if it is in memory and the credentials of the request allow to use it: the usual case, which
    /// needs no closure. Nil for all others, which ``authorizedSession(_:for:_:isUse:ifEnded:_:)`` decides.
    func residentSession(
        _ segment: PathSegment, for permission: Permission, _ context: RequestContext, isUse: Bool
    ) throws(Problem) -> Session? {
        guard context.share == nil, handovers == nil, let id = SessionID(segment.decoded) else { return nil }
        try context.credentials.require(permission)
        guard let session = registry.usable(id) else { return nil }
        context.logs(session)
        try context.credentials.require(id, ownedBy: session.owner, store: session.kind.name)
        if isUse { registry.touch(session) }
        return session
    }

    /// Calls `use` if the share of the request may still be used: before anything else of the request is looked at.
    ///
    /// A session that has ended, or that cannot be read, is up to `use`.
    func requireValidShare(_ context: RequestContext, _ use: @escaping Otherwise) throws(Problem) {
        guard let share = context.share else { return try use(context) }
        let check: @Sendable (SessionRegistry.Lookup?, RequestContext) throws(Problem) -> Void = {
            (found, context) throws(Problem) in
            switch found {
            case .session(let session) where !share.isValid(in: session): throw Problem(.share(.unknown))
            case .unknown, .elsewhere, nil: throw Problem(.share(.unknown))
            default: try use(context)
            }
        }
        if let session = registry.usable(share.session) { return try check(.session(session), context) }
        if let found = registry.find(share.session) { return try check(found, context) }
        guard let locator else { throw Problem(.share(.unknown)) }
        try locator.find(share.session, for: context, check)
    }

    /// Calls `use` with the session that has an id; otherwise as ``authorizedSession(_:for:_:isUse:ifEnded:_:)``.
    ///
    /// - Parameter ifUnknown: answers if no session has or had the id; nil for the problem `no-such-session`.
    func authorizedSession(
        _ id: SessionID, for permission: Permission, _ context: RequestContext, isUse: Bool = true,
        ifEnded: Otherwise? = nil, ifUnknown: Otherwise? = nil, _ use: @escaping Use
    ) throws(Problem) {
        // A share may be revoked, which comes first.
        if context.share == nil { try context.credentials.require(permission) }
        if let session = registry.usable(id) {
            return try self.use(session, id, for: permission, context, isUse: isUse, ifEnded, ifUnknown, use)
        }
        if let found = registry.find(id) {
            return try self.use(found, id, for: permission, context, isUse: isUse, ifEnded, ifUnknown, use)
        }
        guard let locator else {
            return try self.use(.unknown, id, for: permission, context, isUse: isUse, ifEnded, ifUnknown, use)
        }
        try locator.find(id, for: context) { [self] (found, context) throws(Problem) in
            try self.use(found, id, for: permission, context, isUse: isUse, ifEnded, ifUnknown, use)
        }
    }

    private func use(
        _ found: SessionRegistry.Lookup, _ id: SessionID, for permission: Permission, _ context: RequestContext,
        isUse: Bool, _ ifEnded: Otherwise?, _ ifUnknown: Otherwise?, _ use: @escaping Use
    ) throws(Problem) {
        switch found {
        case .session(let session):
            try self.use(session, id, for: permission, context, isUse: isUse, ifEnded, ifUnknown, use)
        case .ended(let owner):
            try context.credentials.require(ended: id, ownedBy: owner)
            if let ifEnded, context.share == nil { return try ifEnded(context) }
            throw Problem(.absent(.ended))
        case .unreadable(let failure, let owner):
            try context.credentials.require(unknown: id, ownedBy: owner)
            throw Problem(failure)
        // The locator passes on no session of another node.
        case .elsewhere, .unknown:
            if context.share != nil { throw Problem(.share(.unknown)) }
            if let ifUnknown { return try ifUnknown(context) }
            try context.credentials.require(unknown: id)
            throw Problem(.absent(.session))
        }
    }

    private func use(
        _ session: Session, _ id: SessionID, for permission: Permission, _ context: RequestContext, isUse: Bool,
        _ ifEnded: Otherwise?, _ ifUnknown: Otherwise?, _ use: @escaping Use
    ) throws(Problem) {
        if let share = context.share {
            guard share.isValid(in: session) else { throw Problem(.share(.unknown)) }
            try context.credentials.require(permission)
        }
        context.logs(session)
        try context.credentials.require(id, ownedBy: session.owner, store: session.kind.name)
        if let handovers, !handovers.admits(context, to: session, isUse: isUse) {
            return wait(for: session, handovers, permission, context, isUse, ifEnded, ifUnknown, use)
        }
        // Not before: nobody else may keep the session from expiring.
        if isUse { registry.touch(session) }
        try use(session, context)
    }

    /// Looks for the session again when it is decided whether it stays. Not a part of the caller, which does this seldom.
    @inline(never)
    private func wait(
        for session: Session, _ handovers: Handovers, _ permission: Permission, _ context: RequestContext,
        _ isUse: Bool, _ ifEnded: Otherwise?, _ ifUnknown: Otherwise?, _ use: @escaping Use
    ) {
        handovers.wait(for: session, context) { [self, id = session.id] context throws(Problem) in
            try authorizedSession(
                id, for: permission, context, isUse: isUse, ifEnded: ifEnded, ifUnknown: ifUnknown, use)
        }
    }
}

extension RequestContext {
    /// Sends a response about a session once everything is durable that it may show.
    ///
    /// The state has been read before, and nothing that is committed later can be in the response.
    func answer(_ response: Response, about session: Session) {
        logs(session)
        let revision = response.revision?.revision ?? 0
        guard !session.isDurable(through: revision) else { return answer(response) }
        let deferred = deferred
        session.whenDurable(through: revision) { failure in
            deferred.answer { failure.map { Problem($0).response } ?? response }
        }
    }
}
