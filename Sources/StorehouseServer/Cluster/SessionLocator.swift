import Cluster
import HTTP
import HTTPServer
import Locks
import Sessions
import StoreHosting

/// Finds the session of a request that is not in memory: it is loaded from the journal, or the request goes to the node that has the
/// session.
final class SessionLocator: Sendable {
    private let registry: SessionRegistry
    private let loader: SessionLoader
    /// Nil if no other process uses the journal.
    private let forwarder: Forwarder?
    private let transfer: SessionTransfer?
    private let availability: Availability

    init(
        _ registry: SessionRegistry, _ loader: SessionLoader, _ forwarder: Forwarder?, _ transfer: SessionTransfer?,
        _ availability: Availability
    ) {
        self.transfer = transfer
        self.registry = registry
        self.loader = loader
        self.forwarder = forwarder
        self.availability = availability
    }

    /// Sends a request to the node that is known to have its session: the usual case for a session of another node. It needs no task.
    ///
    /// - Parameter failed: continues, with ``find(_:for:after:)``, if there is no response that the client may get.
    /// - Returns: false if something else comes first.
    func forward(
        _ context: RequestContext, of id: SessionID,
        failed: @escaping (Attempt, RequestContext) -> Void
    ) -> Bool {
        guard let forwarder, registry.find(id) == nil else { return false }
        var request = RoutedRequest(context.routedKind, isForwarded: context.isForwarded, deadline: forwarder.deadline)
        guard case .forward(let owner) = step(of: &request, id, forwarder) else { return false }
        forwarder.forward(context, to: owner.address) { [request] failure, context in
            forwarder.forget(owner.address, of: id)
            failed(Attempt(request: request, failure: failure), context)
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
        guard let forwarder else { return Located(try await loader.load(id, for: client.credentials)) }
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
        return switch transfer?.place(of: id) {
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
        case .claim: return try await claim(id, client, forwarder, mayBeDone: request.mayBeCommitted)
        case .awaitRelease:
            await transfer?.awaitRelease(of: id)
            return .lookAgain
        case .forward(let owner):
            let failure = await client.forward(by: forwarder, to: owner.address, mayBeDone: request.mayBeCommitted)
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
        _ id: SessionID, _ client: RoutedClient, _ forwarder: Forwarder, mayBeDone: Bool
    ) async throws(SessionFailure) -> StepResult {
        let found: SessionRegistry.Lookup
        do throws(SessionFailure) {
            found = try await loader.load(id, for: client.credentials)
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
    let credentials: Credentials
    private let pending: PendingRequest

    init(_ context: RequestContext) {
        credentials = context.credentials
        kind = context.routedKind
        isForwarded = context.isForwarded
        pending = context.pending
    }

    /// The request on the connection's loop; nil if the client is gone.
    var here: RequestContext? { pending.here }

    /// Sends the request to another node, and its response to the client.
    ///
    /// - Parameter mayBeDone: whether an earlier node may have done what the request asks for.
    /// - Returns: nil if that is done, or if the client is gone.
    func forward(
        by forwarder: Forwarder, to owner: String, mayBeDone: Bool
    ) async -> RoutedRequest.Failure? {
        guard var context = pending.here else { return nil }
        context.decorator.mayBeDone = mayBeDone
        return await Promise.value { end in
            let task = ForwardingTask(end)
            forwarder.forward(context, to: owner) { failure, _ in task.failed(failure) }
        }
    }

    func sleep(for delay: Duration) async { await pending.sleep(for: delay) }
}

/// A task that waits for what becomes of a request: it gets nil once nothing refers to the request any more.
private final class ForwardingTask {
    private let end: @Sendable (RoutedRequest.Failure?) -> Void

    init(_ end: @escaping @Sendable (RoutedRequest.Failure?) -> Void) { self.end = end }

    deinit { end(nil) }

    func failed(_ failure: RoutedRequest.Failure) { end(failure) }
}

extension RequestContext {
    fileprivate var routedKind: RoutedRequest.Kind {
        switch head.method {
        case .get, .head: return .read
        default:
            let route = decorator.route
            // The record of the client tells what was done.
            if route == .sync || route == .sharedSync { return .write(isIdempotent: true) }
            guard route?.usesKeys == true else { return .write(isIdempotent: false) }
            // A dry run commits nothing.
            if (try? head.flag("dryRun")) == true { return .read }
            return .write(isIdempotent: head.fields.contains("idempotency-key"))
        }
    }
}
