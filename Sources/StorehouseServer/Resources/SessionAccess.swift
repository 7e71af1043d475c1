import HTTP
import HTTPServer
import JSON
import Security
import Sessions
import StoreHosting
import Stores

/// The one way from a request to a session, for actions, reads, streams, forks and deletion alike.
final class SessionAccess: Sendable {
    /// The session that a path names, or the reason why there is none, as far as the client may know it.
    enum Entry: Sendable {
        case session(Session)
        case ended
        case unknown
    }

    /// The permission that a request needs, and how it uses the session.
    struct Purpose: Sendable {
        let permission: Permission
        /// Whether it counts as use of the session.
        var isUse = true
        /// Whether it creates the session if there is none.
        var creates = false
        /// Whether it may repeat a request that was answered.
        var mayRepeat = false
    }

    /// The entry to a session, for a client whose credentials allow it.
    struct Entered: Sendable {
        let entry: Entry
        /// The actor, if it may enter only if the state of the session lets it; nil otherwise.
        var visitor: Actor?
        /// Why that actor may not; then it may only get again how its earlier request was answered.
        var refusal: SessionFailure?
        /// Whether a node that is gone may have done what the request asks for.
        let mayBeDone: Bool
    }

    private let registry: SessionRegistry
    let ownership: Ownership
    private let rates: ClientRates
    /// Handles the requests of those who have access.
    let chain: SessionChain
    /// Handles those for new sessions.
    let creation: CreationChain

    init(
        _ registry: SessionRegistry, _ ownership: Ownership, _ rates: ClientRates, chain: SessionChain,
        creation: CreationChain
    ) {
        self.registry = registry
        self.rates = rates
        self.ownership = ownership
        self.chain = chain
        self.creation = creation
    }

    /// The session that a path names, if it is in memory and the credentials of the request allow to use it: the usual case, which
    /// needs no closure and asks no state. Nil for all others, which ``enter(_:for:_:)`` decides.
    func residentSession(
        _ segment: PathSegment, for purpose: Purpose, _ context: RequestContext
    ) throws(Problem) -> Session? {
        guard context.permit == nil, ownership.isFixed, let id = SessionID(segment.decoded) else { return nil }
        try context.require(purpose.permission)
        guard let session = registry.usable(id) else { return nil }
        context.logs(session)
        let visitor = try Problem.of { () throws(SessionFailure) in try context.credentials.visitor(of: session) }
        if visitor != nil { return nil }
        if purpose.isUse, !context.credentials.areOfOperator { registry.touch(session) }
        return session
    }

    /// Finds the session that a path names: at once if it is in memory. The credentials of the request must allow it.
    ///
    /// - Returns: nil if another node has answered the request, or if the client is gone.
    func enter(
        _ segment: PathSegment, for purpose: Purpose, _ context: RequestContext
    ) throws(Problem) -> Handling<Entered?> {
        try Problem.of { () throws(SessionFailure) in
            let target = try target(segment, purpose, context)
            switch try ownership.find(target, context) {
            case .now(let located):
                if let entered = try admit(located, target, for: purpose, context) { return try ask(entered, purpose) }
                let client = RoutedClient(context)
                return later(target, for: purpose, client) { [ownership] () async throws(SessionFailure) in
                    try await ownership.findAgain(located, target, for: client)
                }
            case let handling: return later(target, for: purpose, RoutedClient(context), handling.value)
            }
        }
    }

    private func target(
        _ segment: PathSegment, _ purpose: Purpose, _ context: RequestContext
    ) throws(SessionFailure) -> SessionTarget {
        if let permit = context.permit { return .id(permit.session) }
        // A permit may be revoked, which comes first.
        try context.credentials.require(purpose.permission)
        if segment == "me", let subject = context.credentials.subject {
            return .personal(
                PersonalSessions.Request(
                    subject: subject, store: context.head.query.first("store"), credentials: context.credentials,
                    client: rates.client(of: context)))
        }
        guard let id = SessionID(segment.decoded) else { throw .absent(segment == "me" ? .personal : .session) }
        return .id(id)
    }

    func later(
        _ target: SessionTarget, for purpose: Purpose, _ client: RoutedClient,
        _ find: @escaping @Sendable () async throws(SessionFailure) -> Located
    ) -> Handling<Entered?> {
        .later { [self] () async throws(SessionFailure) in
            var located = try await find()
            while true {
                guard located.found != nil, let context = client.here else { return nil }
                if let entered = try admit(located, target, for: purpose, context) {
                    return try await ask(entered, purpose).value()
                }
                located = try await ownership.findAgain(located, target, for: client)
            }
        }
    }

    /// Finds the session of a permit, which must still be valid: before anything else of the request is looked at.
    ///
    /// A session that has ended, or that cannot be read, is up to what follows.
    func enter(by permit: any Permit, _ context: RequestContext) throws(Problem) -> Handling<Entered?> {
        switch ownership.find(permit.session, context) {
        case .now(let located):
            return .now(try Problem.of { () throws(SessionFailure) in try Self.admit(located, by: permit) })
        case let handling:
            return .later { () async throws(SessionFailure) in try Self.admit(try await handling.value(), by: permit) }
        }
    }

    private static func admit(_ located: Located, by permit: any Permit) throws(SessionFailure) -> Entered? {
        let entry: Entry
        switch located.found {
        case nil: return nil
        case .session(let session):
            guard permit.isValid(in: session) else { throw .permit(.unknown) }
            entry = .session(session)
        case .unknown, .elsewhere: throw .permit(.unknown)
        case .ended, .unreadable: entry = .ended
        }
        return Entered(entry: entry, mayBeDone: located.mayBeDone)
    }

    /// - Returns: nil if the session may be on its way to another node, or if another node has answered.
    private func admit(
        _ located: Located, _ target: SessionTarget, for purpose: Purpose, _ context: RequestContext
    ) throws(SessionFailure) -> Entered? {
        let entry: Entry
        switch located.found {
        case .session(let session):
            return try admit(session, target, for: purpose, context, mayBeDone: located.mayBeDone)
        case .ended(let owner):
            try context.credentials.requireKnowledge(ofEnded: target.sessionID, ownedBy: owner)
            if context.permit != nil { throw .absent(.ended) }
            entry = .ended
        case .unreadable(let failure, let owner):
            try context.credentials.requireKnowledge(ofUnknown: target.sessionID, ownedBy: owner)
            throw failure
        case nil: return nil
        // The locator passes on no session of another node.
        case .elsewhere, .unknown:
            if context.permit != nil { throw .permit(.unknown) }
            if !purpose.creates { try context.credentials.requireKnowledge(ofUnknown: target.sessionID) }
            entry = .unknown
        }
        return Entered(entry: entry, mayBeDone: located.mayBeDone)
    }

    private func admit(
        _ session: Session, _ target: SessionTarget, for purpose: Purpose, _ context: RequestContext, mayBeDone: Bool
    ) throws(SessionFailure) -> Entered? {
        context.logs(session)
        // A personal session is that of its subject.
        let visitor = target.sessionID == nil ? nil : try context.credentials.visitor(of: session)
        let isUse = purpose.isUse && visitor == nil && !context.credentials.areOfOperator
        guard ownership.begin(context, for: session, isUse: isUse) else { return nil }
        // Not before: nobody else may keep the session from expiring.
        if isUse { registry.touch(session) }
        return Entered(entry: .session(session), visitor: visitor, mayBeDone: mayBeDone)
    }

    /// Asks the state whether a visitor may enter, which is a use only if it may.
    private func ask(_ entered: Entered, _ purpose: Purpose) throws(SessionFailure) -> Handling<Entered?> {
        guard let visitor = entered.visitor, case .session(let session) = entered.entry else { return .now(entered) }
        switch try chain.refusal(of: visitor, at: session, for: purpose.permission) {
        case .now(let refusal): return .now(try entered.after(refusal, purpose, in: registry))
        case let handling:
            return .later { [registry] () async throws(SessionFailure) in
                try entered.after(try await handling.value(), purpose, in: registry)
            }
        }
    }
}

extension SessionAccess.Entered {
    /// - Parameter refusal: why the visitor may not enter; nil if it may, which is a use.
    fileprivate func after(
        _ refusal: SessionFailure?, _ purpose: SessionAccess.Purpose, in registry: SessionRegistry
    ) throws(SessionFailure) -> Self {
        if refusal == nil, purpose.isUse, case .session(let session) = entry { registry.touch(session) }
        if let refusal, !purpose.mayRepeat { throw refusal }
        var entered = self
        entered.refusal = refusal
        return entered
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

// The checks of the credentials of a request.
extension Credentials {
    fileprivate func requireKnowledge(ofEnded id: SessionID?, ownedBy owner: Subject?) throws(SessionFailure) {
        if let id { try require(ended: id, ownedBy: owner) }
    }

    fileprivate func requireKnowledge(ofUnknown id: SessionID?, ownedBy owner: Subject? = nil) throws(SessionFailure) {
        if let id { try require(unknown: id, ownedBy: owner) }
    }
}

extension RequestContext {
    func require(_ permission: Permission) throws(Problem) {
        try Problem.of { () throws(SessionFailure) in try credentials.require(permission) }
    }

    /// The request after the entry to its session.
    func after(_ entered: SessionAccess.Entered) -> RequestContext {
        var context = self
        context.decorator.mayBeDone = decorator.mayBeDone || entered.mayBeDone
        return context
    }
}
