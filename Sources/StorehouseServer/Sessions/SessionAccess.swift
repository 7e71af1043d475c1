import HTTP
import HTTPServer
import Security
import StoreHosting
import Stores

/// The one way from a request to a session, for actions, reads, streams, forks and deletion alike.
final class SessionAccess: Sendable {
    /// What the client may use, or learn of the session that a path names.
    enum Entry: Sendable {
        case session(Session)
        case ended
        case unknown
    }

    typealias Use = @Sendable (Entry, RequestContext) throws(Problem) -> Void
    typealias Otherwise = @Sendable (RequestContext) throws(Problem) -> Void

    /// What a request wants of a session.
    struct Purpose: Sendable {
        let permission: Permission
        /// Whether it counts as use of the session.
        var isUse = true
        /// Whether it creates the session if there is none.
        var creates = false
    }

    private enum Target {
        case id(SessionID)
        case personal(of: Subject)

        /// Nil for a session that the client does not name by its id.
        var sessionID: SessionID? { if case .id(let id) = self { id } else { nil } }
    }

    private let registry: SessionRegistry
    /// Nil if all sessions are in memory.
    private let locator: SessionLocator?
    private let personal: PersonalSessions
    /// Nil outside of a cluster.
    private let handovers: Handovers?
    /// Handles the requests of those who have access.
    let chain: SessionChain
    /// Handles those for new sessions.
    let creation: CreationChain

    init(
        _ registry: SessionRegistry, _ locator: SessionLocator?, _ personal: PersonalSessions, _ handovers: Handovers?,
        chain: SessionChain, creation: CreationChain
    ) {
        self.chain = chain
        self.creation = creation
        self.registry = registry
        self.handovers = handovers
        self.locator = locator
        self.personal = personal
    }

    /// The session that a path names, if it is in memory and the credentials of the request allow to use it: the usual case, which
    /// needs no closure. Nil for all others, which ``enter(_:for:_:_:)`` decides.
    func residentSession(
        _ segment: PathSegment, for purpose: Purpose, _ context: RequestContext
    ) throws(Problem) -> Session? {
        guard context.share == nil, handovers == nil, let id = SessionID(segment.decoded) else { return nil }
        try context.require(purpose.permission)
        guard let session = registry.usable(id) else { return nil }
        context.logs(session)
        try context.requireAccess(to: session)
        if purpose.isUse { registry.touch(session) }
        return session
    }

    /// Calls `use` with the session that a path names, on the connection's loop: at once if it is in memory, else when it is
    /// loaded. The credentials of the request must allow it. What `use` throws is the response.
    func enter(
        _ segment: PathSegment, for purpose: Purpose, _ context: RequestContext, _ use: @escaping Use
    ) throws(Problem) {
        if let share = context.share { return try enter(.id(share.session), for: purpose, context, use) }
        // A share may be revoked, which comes first.
        try context.require(purpose.permission)
        if segment == "me", let subject = context.credentials.subject {
            return try enter(.personal(of: subject), for: purpose, context, use)
        }
        guard let id = SessionID(segment.decoded) else {
            throw Problem(.absent(segment == "me" ? .personal : .session))
        }
        try enter(.id(id), for: purpose, context, use)
    }

    /// Calls `use` if the share of the request may still be used: before anything else of the request is looked at.
    ///
    /// A session that has ended, or that cannot be read, is up to `use`.
    func requireValidShare(_ context: RequestContext, _ use: @escaping Otherwise) throws(Problem) {
        guard let share = context.share else { return try use(context) }
        try context.proceed(with: locate(share.session, context)) { (located, context) throws(Problem) in
            switch located {
            case .session(let session) where !share.isValid(in: session): throw Problem(.share(.unknown))
            case .unknown, .elsewhere: throw Problem(.share(.unknown))
            default: try use(context)
            }
        }
    }

    private func enter(
        _ target: Target, for purpose: Purpose, _ context: RequestContext, _ use: @escaping Use
    ) throws(Problem) {
        let located: Handling<Located> =
            switch target {
            case .id(let id): locate(id, context)
            case .personal(let subject): try personal.find(subject, context)
            }
        try context.proceed(with: located) { [self] (found, context) throws(Problem) in
            try admit(found, target, for: purpose, context, use)
        }
    }

    private func locate(_ id: SessionID, _ context: RequestContext) -> Handling<Located> {
        if let session = registry.usable(id) { return .now(Located(.session(session))) }
        if let found = registry.find(id) { return .now(Located(found)) }
        guard let locator else { return .now(Located(.unknown)) }
        let client = RoutedClient(context)
        return .later { () async throws(SessionFailure) in try await locator.find(id, for: client) }
    }

    private func admit(
        _ found: SessionRegistry.Lookup, _ target: Target, for purpose: Purpose, _ context: RequestContext,
        _ use: @escaping Use
    ) throws(Problem) {
        switch found {
        case .session(let session): try admit(session, target, for: purpose, context, use)
        case .ended(let owner):
            try context.requireKnowledge(ofEnded: target.sessionID, ownedBy: owner)
            if context.share != nil { throw Problem(.absent(.ended)) }
            try use(.ended, context)
        case .unreadable(let failure, let owner):
            try context.requireKnowledge(ofUnknown: target.sessionID, ownedBy: owner)
            throw Problem(failure)
        // The locator passes on no session of another node.
        case .elsewhere, .unknown:
            if context.share != nil { throw Problem(.share(.unknown)) }
            if !purpose.creates { try context.requireKnowledge(ofUnknown: target.sessionID) }
            try use(.unknown, context)
        }
    }

    private func admit(
        _ session: Session, _ target: Target, for purpose: Purpose, _ context: RequestContext, _ use: @escaping Use
    ) throws(Problem) {
        if let share = context.share {
            guard share.isValid(in: session) else { throw Problem(.share(.unknown)) }
            try context.require(purpose.permission)
        }
        context.logs(session)
        // A personal session is that of its subject.
        if target.sessionID != nil { try context.requireAccess(to: session) }
        if let handovers, !handovers.admits(context, to: session, isUse: purpose.isUse) {
            let client = RoutedClient(context)
            return try context.proceed(with: .later { await handovers.decided(session, for: client) }) {
                [self] (_, context) throws(Problem) in
                try enter(target, for: purpose, context, use)
            }
        }
        // Not before: nobody else may keep the session from expiring.
        if purpose.isUse { registry.touch(session) }
        try use(.session(session), context)
    }
}

extension SessionAccess.Entry {
    /// The session; what the client is told if there is none.
    func get() throws(Problem) -> Session {
        switch self {
        case .session(let session): return session
        case .ended: throw Problem(.absent(.ended))
        case .unknown: throw Problem(.absent(.session))
        }
    }
}

// What the credentials of a request must allow.
extension RequestContext {
    func require(_ permission: Permission) throws(Problem) {
        try Problem.of { () throws(SessionFailure) in try credentials.require(permission) }
    }

    fileprivate func requireAccess(to session: Session) throws(Problem) {
        try Problem.of { () throws(SessionFailure) in
            try credentials.require(session.id, ownedBy: session.owner, store: session.kind.name)
        }
    }

    fileprivate func requireKnowledge(ofEnded id: SessionID?, ownedBy owner: Subject?) throws(Problem) {
        guard let id else { return }
        try Problem.of { () throws(SessionFailure) in try credentials.require(ended: id, ownedBy: owner) }
    }

    fileprivate func requireKnowledge(ofUnknown id: SessionID?, ownedBy owner: Subject? = nil) throws(Problem) {
        guard let id else { return }
        try Problem.of { () throws(SessionFailure) in try credentials.require(unknown: id, ownedBy: owner) }
    }
}

// What has to be awaited before a request proceeds.
extension RequestContext {
    /// Calls `body` with the result on the connection's loop, unless the client is gone. What it throws is the response.
    func proceed<Value: Sendable>(
        with handling: Handling<Value>, _ body: @escaping @Sendable (Value, RequestContext) throws(Problem) -> Void
    ) throws(Problem) {
        switch handling {
        case .now(let value): try body(value, self)
        case .later(let run):
            let deferred = deferred
            Task(executorPreference: exchange.loop) {
                do throws(SessionFailure) {
                    let value = try await run()
                    deferred.proceed { context throws(Problem) in try body(value, context) }
                } catch {
                    deferred.refuse(Problem(error))
                }
            }
        }
    }

    /// The same for a session, unless another node has answered the request.
    fileprivate func proceed(
        with located: Handling<Located>,
        _ body: @escaping @Sendable (SessionRegistry.Lookup, RequestContext) throws(Problem) -> Void
    ) throws(Problem) {
        if case .now(let located) = located, let found = located.found { return try body(found, self) }
        try proceed(with: located) { (located: Located, context: RequestContext) throws(Problem) in
            guard let found = located.found else { return }
            var context = context
            context.decorator.mayBeDone = located.mayBeDone
            try body(found, context)
        }
    }
}
