package import HTTP
package import HTTPServer
import JSON
package import Platform
import Security
import Sessions
import Sockets
import Stores

/// Finds the handler for a request by its path and method.
package final class Router: RequestHandler {
    private let api: API
    private let listener: Listener
    /// Takes the connections of other nodes; nil outside of a cluster, and for a listener that has none.
    private let links: LinkAcceptor?

    /// Whose resources it has.
    enum Listener {
        case everybody
        /// All but those of operators.
        case clients
        /// Metrics and administration only.
        case operators
        /// The resources that nodes ask of each other, at whichever listener. Nodes have checked the rate, the origin and the host.
        case nodes

        fileprivate func has(_ route: Route, _ method: HTTPMethod) -> Bool {
            switch (self, route) {
            case (.nodes, _): route.isForwarded(method)
            case (.everybody, _), (_, .server): true
            case (.clients, _): !route.isForOperators
            case (.operators, _): route.isForOperators
            }
        }
    }

    init(_ api: API, for listener: Listener = .everybody) {
        self.api = api
        self.listener = listener
        let hasLinks = listener == .everybody || listener == .clients
        links = hasLinks ? api.linkAcceptor { Router(api, for: .nodes) } : nil
    }

    /// Refuses a request for the rate of its client, its origin or its host: of any route, and before its body is read.
    package func refusal(of head: RequestHead, on connection: any RequestSource) -> Response? {
        do throws(Problem) {
            if links?.mayAccept(head) == true { return nil }
            // Before the others: whoever is refused counts too.
            try admitRequest(head.fields, connection)
            if links?.isAsked(head) == true { throw Problem(.unavailable(.notHere)) }
            if head.fields.contains("origin") {
                try api.origins.requireKnownOrigin(head, peer: connection.peer)
            }
            guard api.hosts.allows(head, from: connection.peer) else { throw Problem(.path(.host)) }
            return nil
        } catch {
            let route = try? resource(of: head).route
            return decorator(head, route).finish(error.response, to: head, connection, since: connection.now)
        }
    }

    private func admitRequest(_ fields: HTTPFields?, _ connection: any RequestSource) throws(Problem) {
        try Problem.of { () throws(SessionFailure) in try api.rates.admitRequest(fields, peer: connection.peer) }
    }

    /// Takes the connection of another node. Whoever is none counts for the rate of its client.
    private func accept(_ context: RequestContext, _ links: LinkAcceptor) {
        do throws(Problem) {
            if api.isDraining { throw Problem(.unavailable(.notHere)) }
            if try links.accept(context.exchange, context.head) { return }
            try admitRequest(context.head.fields, context.exchange.connection)
            throw Problem(.unavailable(.notHere))
        } catch {
            context.refuse(error)
        }
    }

    /// A server that has much to do lives, is ready, and is watched.
    package func isProbe(_ head: RequestHead, on connection: any RequestSource) -> Bool {
        let route = try? resource(of: head).route
        return route == .liveness || route == .readiness || listener == .operators && route == .metrics
    }

    /// Refuses all but probes, and other nodes.
    package func limitRefusal(of head: RequestHead, on connection: any RequestSource) -> Response? {
        if isProbe(head, on: connection) || links?.isAsked(head) == true { return nil }
        let route = try? resource(of: head).route
        let problem = Problem(.unavailable(.connections))
        return decorator(head, route).finish(problem.response, to: head, connection, since: connection.now)
    }

    /// Bytes that are no request count for the rate of their client too.
    package func refusal(of failure: RequestFailure, on connection: any RequestSource) -> Response? {
        do throws(Problem) {
            try admitRequest(failure.fields, connection)
            return nil
        } catch {
            return finish(error.response, to: failure, connection)
        }
    }

    package func handle(_ request: consuming Request, _ exchange: consuming Exchange) {
        if let links, links.isAsked(request.head) {
            let decorator = decorator(request.head, .server)
            return accept(RequestContext(request: request, exchange: exchange, decorator: decorator), links)
        }
        let resource: Resource
        do throws(Problem) {
            resource = try self.resource(of: request.head)
        } catch {
            let decorator = decorator(request.head, nil)
            let context = RequestContext(request: request, exchange: exchange, decorator: decorator)
            return answer(context, api.basePath.redirect(context.head) ?? error.response)
        }
        let decorator = decorator(request.head, resource.route)
        let context = RequestContext(request: request, exchange: exchange, decorator: decorator)
        do throws(Problem) {
            // The other node finds the session where it goes to.
            if listener == .nodes, api.isDraining { throw Problem(.unavailable(.notHere)) }
            if case .options = context.head.method,
                let preflight = api.origins.preflight(context.head, allow: resource.allow)
            {
                return context.answer(preflight)
            }
            guard let rule = resource.accessRule(for: context.head.method) else {
                return try refuseMethod(context, at: resource)
            }
            if api.gate.isOpen(rule) { return try handle(context, at: resource) }
            try admit(context, rule, at: resource.id, to: .use(resource))
        } catch {
            context.refuse(error)
        }
    }

    /// The rest of a request, whose credentials have to be verified before.
    private enum Rest: Sendable {
        case use(Resource)
        case refuse(Problem)
        case answer(Response)
    }

    /// Handles the rest of a request, unless its credentials break the rule.
    private func admit(
        _ context: RequestContext, _ rule: AccessRule, at id: PathSegment, to rest: Rest
    ) throws(Problem) {
        let verifying = try api.gate.credentials(of: context, rule, at: id)
        if case .now(let verified) = verifying { return try enter(context, verified, rule, to: rest) }
        context.handleLater { [self] pending async throws(Problem) in
            let verified = try await verifying.awaited()
            if let context = pending.here { try enter(context, verified, rule, to: rest) }
        }
    }

    /// Enters the session of a permit, which must be valid before anything else is told.
    private func enter(
        _ context: RequestContext, _ verified: Gate.Verified, _ rule: AccessRule, to rest: Rest
    ) throws(Problem) {
        var context = context
        context.credentials = try verified.get()
        context.logsCredentials()
        guard case .holder(let permission) = rule, let permit = context.permit else {
            return try handle(rest, of: context)
        }
        let entering = try api.access.enter(by: permit, context)
        if case .now(let entered) = entering { return try handle(rest, of: context, entered, permission) }
        context.handleLater { [self] pending async throws(Problem) in
            let entered = try await entering.awaited()
            if let context = pending.here { try handle(rest, of: context, entered, permission) }
        }
    }

    private func handle(
        _ rest: Rest, of context: RequestContext, _ entered: SessionAccess.Entered?, _ permission: Permission
    ) throws(Problem) {
        guard let entered else { return }
        if case .use = rest, case .session(let session) = entered.entry, let permit = context.permit {
            try Problem.of { () throws(SessionFailure) in try permit.require(permission, in: session) }
            context.logs(permit, of: session)
        }
        try handle(rest, of: context.after(entered))
    }

    private func handle(_ rest: Rest, of context: RequestContext) throws(Problem) {
        switch rest {
        case .use(let resource): try handle(context, at: resource)
        case .refuse(let problem): throw problem
        case .answer(let response): context.answer(response)
        }
    }

    /// Answers a request with a method that the resource does not have. Below a permit, this tells only whoever has a valid one.
    private func refuseMethod(_ context: RequestContext, at resource: Resource) throws(Problem) {
        let refusal = Self.methodNotAllowed(resource)
        guard let permission = resource.route.holderPermission else { return answer(context, refusal.response) }
        try admit(context, .holder(permission), at: resource.id, to: .refuse(refusal))
    }

    /// Answers a request that no resource or method is there for. Below `/sessions` and `/stores`, token mode requires a token
    /// for that too.
    private func answer(_ context: RequestContext, _ response: Response) {
        guard !api.gate.isOpen(.authenticated),
            let first = Resource.firstSegment(context.head.path, below: api.basePath),
            first == "sessions" || first == "stores"
        else { return context.answer(response) }
        do throws(Problem) {
            try admit(context, .authenticated, at: first, to: .answer(response))
        } catch {
            context.refuse(error)
        }
    }

    package func response(
        to failure: RequestFailure, of head: RequestHead?, on connection: any RequestSource
    ) -> Response {
        let response =
            Problem.Code(rawValue: failure.code).map { Problem($0, failure.detail).response }
            ?? Response(failure.status)
        guard let head else { return finish(response, to: failure, connection) }
        let route = try? resource(of: head).route
        return decorator(head, route).finish(response, to: head, connection, since: connection.now)
    }

    private func finish(
        _ response: consuming Response, to failure: RequestFailure, _ connection: any RequestSource
    ) -> Response {
        response.fields += api.origins.fields(for: failure.fields?.first("origin"))
        let named = response.naming(connection.requestID)
        let request = FinishedRequest(named, method: failure.method, route: nil, since: .current)
        api.recorder.record(request, of: failure, on: connection)
        return named
    }

    package func connectionLimitReached(closing closed: Int) { api.connectionLimitReached(closing: closed) }

    package func requestWasCut(_ head: RequestHead, on connection: any RequestSource, since start: MonotonicInstant) {
        api.recorder.record(cutRequest(head, connection, since: start), of: head, on: connection)
    }

    package func responseWasCut(to head: RequestHead, on connection: any RequestSource, since start: MonotonicInstant) {
        api.recorder.writeLine(cutRequest(head, connection, since: start), of: head, on: connection)
    }

    private func cutRequest(
        _ head: RequestHead, _ connection: any RequestSource, since start: MonotonicInstant
    ) -> FinishedRequest {
        let route = try? resource(of: head).route
        return FinishedRequest(method: head.method, route: route, status: nil, since: start)
    }

    /// The resource of the path, if this listener has it. Nodes forward requests of operators to the listener for clients.
    private func resource(of head: RequestHead) throws(Problem) -> Resource {
        let resource = try Resource(head.path, below: api.basePath, usesTokens: api.tokens != nil)
        guard listener.has(resource.route, head.method) else { throw Problem(.path(.unknown)) }
        return resource
    }

    private func decorator(_ head: RequestHead, _ route: Route?) -> ResponseDecorator {
        // The node that the client talks to adds these fields. Pages of every origin may import the client.
        let isForAll = listener == .nodes || route == .client
        let fields = isForAll ? [] : api.origins.fields(for: head)
        return ResponseDecorator(fields: fields, route: route, recorder: api.recorder)
    }

    private func handle(_ context: RequestContext, at resource: Resource) throws(Problem) {
        try resource.validateQuery(context.head)
        let route = resource.route
        let need = route.need(of: context.head.method)
        try Problem.of { () throws(SessionFailure) in
            try api.availability.require(need, forBodyOf: context.request.body.count)
        }
        switch (context.head.method, route) {
        case (.options, _): context.answer(Response(.noContent, fields: [.init("Allow", resource.allow)]))
        case (.get, .events), (.get, .sharedEvents), (.get, .adminEvents): try api.streams.open(resource.id, context)
        case (.get, _), (.head, _): try read(resource, context)
        case (.post, .sessions): try api.sessions.create(context)
        case (.post, .actions), (.post, .sharedActions): try api.actions.post(resource.id, context)
        case (.post, .sync), (.post, .sharedSync): try api.sync.post(resource.id, context)
        case (.post, .signals), (.post, .sharedSignals): try api.signals.send(resource.id, context)
        case (.post, .forks): try api.sessions.fork(resource.id, context)
        case (.post, .shares): try api.shares.create(resource.id, context)
        case (.delete, .shares): try api.shares.revoke(resource.id, context)
        case (.delete, .share): try api.shares.revokeOne(resource.id, context)
        case (.put, .session): try api.sessions.put(resource.id, context)
        case (.delete, .session): try api.sessions.delete(resource.id, context)
        case (.delete, .adminSession): try api.admin.delete(resource.id, context)
        default: throw Self.methodNotAllowed(resource)
        }
    }

    /// Answers GET and HEAD with a document.
    private func read(_ resource: Resource, _ context: RequestContext) throws(Problem) {
        switch resource.route {
        case .index: try api.meta.readIndex(context)
        case .stores: try api.meta.readStores(context)
        case .store: try api.meta.readStore(resource.id, context)
        case .openAPI: try api.meta.readOpenAPI(context)
        case .client: try api.meta.readClient(resource.id, context)
        case .liveness: try api.meta.readLiveness(context)
        case .readiness: try api.meta.readReadiness(context)
        // Prometheus sends many forms of Accept, and gets the only representation.
        case .metrics: context.answer(api.readMetrics())
        case .session: try api.sessions.read(resource.id, context)
        case .state, .sharedState, .adminState: try api.reads.readState(resource.id, context)
        case .actions, .adminActions: try api.actionLog.read(resource.id, context)
        case .presence, .sharedPresence: try PresenceResource(access: api.access).read(resource.id, context)
        case .shares: try api.shares.list(resource.id, context)
        case .adminSessions: try api.admin.listSessions(context)
        case .adminSession: try api.admin.read(resource.id, context)
        case .sessions:
            guard case .token(let claims) = context.credentials else { throw Self.methodNotAllowed(resource) }
            try api.sessionList.list(claims, context)
        case .events, .forks, .share, .sync, .signals, .sharedEvents, .sharedActions, .sharedSync, .sharedSignals,
            .adminEvents, .server:
            throw Self.methodNotAllowed(resource)
        }
    }

    private static func methodNotAllowed(_ resource: Resource) -> Problem {
        Problem(.path(.method(allowed: resource.allow)))
    }
}
