import Cluster
import HTTP
import HTTPServer
import Locks
import Sessions
import StoreHosting
import Synchronization

/// Finds the session of a request that is not in memory: it is loaded from the journal, or the request goes to the node that has the
/// session.
final class SessionLocator: Sendable {
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

    /// Sends a request to the node that is known to have its session: the usual case for a session of another node. It needs no task.
    ///
    /// - Parameter failed: goes on, with ``find(_:for:after:)``, if there is no response that the client may get.
    /// - Returns: false if something else comes first.
    func forward(
        _ context: RequestContext, of id: SessionID,
        failed: @escaping (Attempt, RequestContext) throws(Problem) -> Void
    ) throws(Problem) -> Bool {
        guard let forwarder, registry.find(id) == nil else { return false }
        var request = RoutedRequest(context.routedKind, isForwarded: context.isForwarded, deadline: forwarder.deadline)
        guard case .forward(let owner) = step(of: &request, id, forwarder) else { return false }
        try forwarder.forward(context, of: id, to: owner.address) { (failure, context) throws(Problem) in
            forwarder.forget(owner.address, of: id)
            try failed(Attempt(request: request, failure: failure), context)
        }
        return true
    }

    /// A request that a node was sent without success.
    struct Attempt: Sendable {
        fileprivate let request: RoutedRequest
        fileprivate let failure: RoutedRequest.Failure
    }

    /// Finds a session, unless another node answers the request. Each step is decided by ``RoutedRequest``.
    func find(
        _ id: SessionID, for client: RoutedClient, after attempt: Attempt? = nil
    ) async throws(SessionFailure) -> Located {
        guard let forwarder else { return Located(try await loader.load(id)) }
        var request =
            attempt?.request
            ?? RoutedRequest(client.kind, isForwarded: client.isForwarded, deadline: forwarder.deadline)
        var next = attempt.map { request.failed($0.failure, now: forwarder.now) }
        while true {
            if next == nil, let found = registry.find(id) { return Located(found, mayBeDone: request.mayBeCommitted) }
            switch try await perform(next ?? step(of: &request, id, forwarder), id, client, forwarder, &request) {
            case .found(let found): return Located(found, mayBeDone: request.mayBeCommitted)
            case .answered: return Located(nil)
            case .lookAgain: next = nil
            case .failed(let failure): next = request.failed(failure, now: forwarder.now)
            }
        }
    }

    private func step(of request: inout RoutedRequest, _ id: SessionID, _ forwarder: Forwarder) -> RoutedRequest.Step {
        request.next(
            place(of: id, isForwarded: request.isForwarded, forwarder), isDraining: availability.isDraining,
            now: forwarder.now)
    }

    private enum StepResult {
        case found(SessionRegistry.Lookup)
        /// The other node has answered the client.
        case answered
        case lookAgain
        case failed(RoutedRequest.Failure)
    }

    private func place(of id: SessionID, isForwarded: Bool, _ forwarder: Forwarder) -> SessionPlace {
        // The number of the owner's incarnation is not needed to reach it.
        let owner = forwarder.owner(of: id).map { SessionPlace.elsewhere(NodeIncarnation(number: 0, address: $0)) }
        return switch handovers?.place(of: id) {
        // The other node may have claimed it already.
        case .released? where !isForwarded: owner ?? .unknown
        case let place: place ?? owner ?? .unknown
        }
    }

    private func perform(
        _ step: RoutedRequest.Step, _ id: SessionID, _ client: RoutedClient, _ forwarder: Forwarder,
        _ request: inout RoutedRequest
    ) async throws(SessionFailure) -> StepResult {
        switch step {
        case .claim: return try await claim(id, forwarder, mayBeDone: request.mayBeCommitted)
        case .awaitRelease:
            await handovers?.released(id)
            return .lookAgain
        case .forward(let owner):
            let failure = await client.forward(
                by: forwarder, of: id, to: owner.address, mayBeDone: request.mayBeCommitted)
            guard let failure else { return .answered }
            forwarder.forget(owner.address, of: id)
            return .failed(failure)
        case .lookAgain(let delay):
            await client.sleep(for: .milliseconds(delay))
            return .lookAgain
        case .answerNotHere: throw .unavailable(.notHere)
        case .answerUnavailable: throw .unavailable(.ownerSilent)
        case .answerUnknown: throw .unavailable(.storage(.outcomeUnknown("")))
        }
    }

    /// Asks the journal for the session.
    private func claim(
        _ id: SessionID, _ forwarder: Forwarder, mayBeDone: Bool
    ) async throws(SessionFailure) -> StepResult {
        let found: SessionRegistry.Lookup
        do throws(SessionFailure) {
            found = try await loader.load(id)
        } catch {
            // An owner that is gone may have done what the request asks for, so 503 would not be true.
            guard Problem(error).code == .storageUnavailable, mayBeDone else { throw error }
            return .failed(.unavailable)
        }
        guard case .elsewhere(let owner) = found else { return .found(found) }
        // An earlier process with the name of this one has died, and its lease has not ended yet.
        guard owner != forwarder.identity.name else { return .failed(.notHere) }
        forwarder.remember(owner, of: id)
        return .lookAgain
    }
}

/// A request that may go to another node, for any thread.
struct RoutedClient: Sendable {
    /// Tells whether the request can be repeated if the node that has it dies.
    let kind: RoutedRequest.Kind
    /// Whether another node has sent the request.
    let isForwarded: Bool
    private let deferred: RequestContext.Deferred

    init(_ context: RequestContext) {
        kind = context.routedKind
        isForwarded = context.isForwarded
        deferred = context.deferred
    }

    /// The request on the connection's loop; nil if the client is gone.
    var here: RequestContext? { deferred.here }

    /// Sends the request to another node, and its response to the client.
    ///
    /// - Parameter mayBeDone: whether an earlier node may have done what the request asks for.
    /// - Returns: nil if that is done, or if the client is gone.
    func forward(
        by forwarder: Forwarder, of id: SessionID, to owner: String, mayBeDone: Bool
    ) async -> RoutedRequest.Failure? {
        // All this is on the connection's loop.
        await withUnsafeContinuation { task in
            let outcome = ForwardingOutcome(of: task)
            deferred.proceed { context throws(Problem) in
                var context = context
                context.decorator.mayBeDone = mayBeDone
                try forwarder.forward(context, of: id, to: owner) { (failure, _) in outcome.fail(failure) }
            }
        }
    }

    func sleep(for delay: Duration) async { await deferred.sleep(for: delay) }
}

/// Tells once what came of a forwarded request: when nothing refers to it any more, the request has no failure.
private final class ForwardingOutcome: Sendable {
    private let task: UnsafeContinuation<RoutedRequest.Failure?, Never>
    private let hasFailed = Atomic(false)

    init(of task: UnsafeContinuation<RoutedRequest.Failure?, Never>) { self.task = task }

    deinit { if !hasFailed.load(ordering: .relaxed) { task.resume(returning: nil) } }

    func fail(_ failure: RoutedRequest.Failure) {
        if !hasFailed.exchange(true, ordering: .relaxed) { task.resume(returning: failure) }
    }
}

extension RequestContext {
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
