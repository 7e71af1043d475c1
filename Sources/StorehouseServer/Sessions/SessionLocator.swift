import Cluster
import HTTP
import HTTPServer
import StoreHosting

/// Finds the session of a request that is not in memory: it is loaded from the journal, or the request goes to the node that has the
/// session.
final class SessionLocator: Sendable {
    typealias Use = @Sendable (SessionRegistry.Lookup, RequestContext) throws(Problem) -> Void

    private let registry: SessionRegistry
    private let loader: SessionLoader
    /// Nil if no other process uses the journal.
    private let forwarder: Forwarder?
    private let handovers: Handovers?
    private let availability: Availability

    init(
        _ registry: SessionRegistry, _ loader: SessionLoader, _ forwarder: Forwarder?, _ handovers: Handovers?,
        _ availability: Availability
    ) {
        self.handovers = handovers
        self.registry = registry
        self.loader = loader
        self.forwarder = forwarder
        self.availability = availability
    }

    /// Calls `use` on the connection's loop, later or at once, unless another node answers the request. What `use` throws is the
    /// response.
    func find(_ id: SessionID, for context: RequestContext, _ use: @escaping Use) throws(Problem) {
        guard let forwarder else {
            let deferred = context.deferred
            return loader.load(id) { found in
                deferred.resume { context throws(Problem) in try use(try Problem.of(found.get), context) }
            }
        }
        let request = RoutedRequest(
            context.routedKind, isForwarded: context.isForwarded, deadline: forwarder.deadline)
        try SessionSearch(id, use, self, forwarder).look(request, context)
    }

    /// The search of one request for its session. Each step is decided by ``RoutedRequest``.
    private struct SessionSearch: Sendable {
        let id: SessionID
        let use: Use
        let locator: SessionLocator
        let forwarder: Forwarder

        init(_ id: SessionID, _ use: @escaping Use, _ locator: SessionLocator, _ forwarder: Forwarder) {
            self.id = id
            self.use = use
            self.locator = locator
            self.forwarder = forwarder
        }

        func look(_ request: RoutedRequest, _ context: RequestContext) throws(Problem) {
            if let found = locator.registry.find(id) { return try use(found, context) }
            let owner = forwarder.owner(of: id).map(place(at:)) ?? .unknown
            switch locator.handovers?.place(of: id) {
            // The other node may have claimed it already.
            case .released? where !context.isForwarded: try look(request, context, at: owner)
            case let place: try look(request, context, at: place ?? owner)
            }
        }

        /// The number of the owner's incarnation is not needed to reach it.
        private func place(at owner: String) -> SessionPlace { .elsewhere(NodeIncarnation(number: 0, address: owner)) }

        private func look(
            _ request: RoutedRequest, _ context: RequestContext, at place: SessionPlace
        ) throws(Problem) {
            var request = request
            let step = request.next(place, isDraining: locator.availability.isDraining, now: forwarder.now)
            try perform(step, request, context)
        }

        private func perform(
            _ step: RoutedRequest.Step, _ request: RoutedRequest, _ context: RequestContext
        ) throws(Problem) {
            switch step {
            case .claim:
                let deferred = context.deferred
                locator.loader.load(id) { [self] found in
                    deferred.resume { context throws(Problem) in try take(found, request, context) }
                }
            case .awaitRelease:
                locator.handovers?.wait(for: id, context) { [self] context throws(Problem) in
                    try look(request, context)
                }
            case .forward(let owner):
                try forwarder.forward(context, of: id, to: owner.address) { [self] (failure, context) throws(Problem) in
                    forwarder.forget(owner.address, of: id)
                    try retry(failure, request, context)
                }
            case .lookAgain(after: 0):
                context.deferred.resumeInLaterTurn { [self] context throws(Problem) in try look(request, context) }
            case .lookAgain(let delay):
                let deferred = context.deferred
                deferred.schedule(after: .milliseconds(delay)) { [self] in
                    deferred.resume { context throws(Problem) in try look(request, context) }
                }
            case .answerNotHere: throw Problem(.unavailable(.notHere))
            case .answerUnavailable:
                throw Problem(.unavailable(.ownerSilent))
            case .answerUnknown: throw Problem(JournalError.outcomeUnknown(""))
            }
        }

        private func retry(
            _ failure: RoutedRequest.Failure, _ request: RoutedRequest, _ context: RequestContext
        ) throws(Problem) {
            var (request, context) = (request, context)
            let step = request.failed(failure, now: forwarder.now)
            context.decorator.mayBeDone = request.mayBeCommitted
            try perform(step, request, context)
        }

        /// Takes what the journal has found.
        private func take(
            _ result: SessionLoader.Found, _ request: RoutedRequest, _ context: RequestContext
        ) throws(Problem) {
            let found: SessionRegistry.Lookup
            do throws(Problem) {
                found = try Problem.of(result.get)
            } catch {
                // An owner that is gone may have done what the request asks for, so 503 would not be true.
                guard error.code == .storageUnavailable, request.mayBeCommitted else { throw error }
                return try retry(.unavailable, request, context)
            }
            guard case .elsewhere(let owner) = found else { return try use(found, context) }
            // An earlier process with the name of this one has died, and its lease has not ended yet.
            guard owner != forwarder.identity.name else { return try retry(.notHere, request, context) }
            forwarder.remember(owner, of: id)
            try look(request, context, at: place(at: owner))
        }
    }
}

extension RequestContext {
    /// Whether another node has sent the request.
    var isForwarded: Bool { exchange.connection.isForwarded }

    /// What can be done if the node dies that has the request.
    fileprivate var routedKind: RoutedRequest.Kind {
        switch head.method {
        case .get, .head: return .read
        default:
            guard decorator.route?.usesKeys == true else { return .write(isIdempotent: false) }
            // A dry run commits nothing.
            if (try? head.flag("dryRun")) == true { return .read }
            return .write(isIdempotent: head.fields.contains("idempotency-key"))
        }
    }
}
