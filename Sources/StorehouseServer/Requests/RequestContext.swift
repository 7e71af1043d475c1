import HTTP
import HTTPServer
import Platform
import Sessions
import Sockets
import StoreHosting
import Threads

/// One request: what it asks, and where its response goes. On the connection's loop only.
struct RequestContext {
    let request: Request
    let exchange: Exchange
    var decorator: ResponseDecorator
    /// The credentials of the request, once they are verified.
    var credentials = Credentials.capability

    var head: RequestHead { request.head }

    /// Names the session in the line of the access log, if there is one.
    func logs(_ session: Session) { exchange.connection.subject = session }

    /// Names the user in the line of the access log, if the credentials are a token.
    func logsCredentials() {
        if case .token(let claims) = credentials { exchange.connection.credentials = claims }
    }

    /// Names the guest that the holder of a permit is in the line of the access log.
    func logs(_ permit: any Permit, of session: Session) {
        exchange.connection.credentials = permit.terms(in: session)
    }

    /// The permit by which the client came; nil if it knows the session's id.
    var permit: (any Permit)? { if case .permit(let permit) = credentials { permit } else { nil } }

    func answer(_ response: Response) { decorator.send(response, to: request, exchange) }

    /// Answers with a problem, at a time that tells nothing if the problem must not tell whether there is a session.
    func refuse(_ problem: Problem) {
        let response = problem.explainingWeakTags(of: head).response
        if problem.hidesSession, waitsWithRefusals { answerAtSetTime(response) } else { answer(response) }
    }

    /// Answers at one of the times that tell nothing of how long it took to find the answer; see ``RefusalTimes``.
    func answerAtSetTime(_ response: Response) {
        pending.loop.execute { [pending] in
            guard let exchange = pending.here?.exchange else { return }
            // The timer counts from the start of its turn. The age does too, so the sum of both is a set time.
            let age = exchange.startedAt.nanoseconds(to: exchange.connection.now)
            exchange.connection.schedule(after: RefusalTimes.delay(of: age)) { pending.here?.answer(response) }
        }
    }

    /// Answers that the output budget has no room for the response.
    func refuseResponse() {
        if exchange.isCurrent { decorator.refuseResponse(to: head, exchange) }
    }

    /// This request for any thread.
    var pending: PendingRequest { PendingRequest(self) }

    /// Handles the request further in a task, which begins in a later turn of the connection's loop and stays there. A problem that
    /// it throws is the response.
    @discardableResult
    func handleLater(_ body: @escaping @Sendable (PendingRequest) async throws(Problem) -> Void) -> Task<Void, Never> {
        let pending = pending
        return Task(executorPreference: exchange.loop) {
            do throws(Problem) {
                try await body(pending)
            } catch {
                pending.refuse(error)
            }
        }
    }
}

/// A request that waits for something, for any thread.
final class PendingRequest: Sendable {
    private let request: Request
    private let exchange: DeferredExchange
    private let decorator: ResponseDecorator
    private let credentials: Credentials

    fileprivate init(_ context: RequestContext) {
        request = context.request
        exchange = context.exchange.deferred
        decorator = context.decorator
        credentials = context.credentials
    }

    var loop: any EventLoop { exchange.loop }

    /// The request, on the connection's loop; nil if the client is gone, or if the loop has ended.
    var here: RequestContext? {
        guard let exchange = exchange.here, exchange.isCurrent else { return nil }
        return RequestContext(request: request, exchange: exchange, decorator: decorator, credentials: credentials)
    }

    /// Sends a problem, on the connection's loop.
    func refuse(_ problem: Problem) { here?.refuse(problem) }

    /// Calls `body` on the connection's loop after `delay`, or when the server can wait no longer, unless the request is
    /// answered before.
    func schedule(after delay: Duration, _ body: @escaping @Sendable () -> Void) {
        exchange.schedule(after: delay, body)
    }

    /// Waits on the connection's loop, also if the client is gone.
    func sleep(for delay: Duration) async { await exchange.sleep(for: delay) }
}

extension Handling {
    /// The value, once it is there.
    func awaited() async throws(Problem) -> Result {
        do throws(SessionFailure) {
            return try await value()
        } catch {
            throw Problem(error)
        }
    }
}

/// Gives every response to one request the CORS fields, the request's id, a line in the access log, and a count in the
/// metrics.
struct ResponseDecorator: Sendable {
    let fields: [Response.Field]
    /// The resource; nil if no resource has the path.
    let route: Route?
    let recorder: RequestRecorder
    /// Whether a node that is gone may have done what the request asks for. Then no response may say that nothing was done.
    var mayBeDone = false
    /// Whether its session has left its object since it was found, so that it is looked for again.
    var isRepeated = false

    /// Sends the response, if the output budget has room for it.
    fileprivate func send(_ response: consuming Response, to request: Request, _ exchange: Exchange) {
        // A second response is dropped, and is not counted.
        guard exchange.isCurrent else { return }
        let head = request.head
        if let correction = correction(of: response, to: head) { response = correction }
        if response.problemCode != nil { recorder.writeRefusal(response, of: request, route, on: exchange.connection) }
        if exchange.hasRoom(for: response.body.count) {
            exchange.answer(finish(response, to: head, exchange.connection, since: exchange.startedAt))
        } else {
            refuseResponse(to: head, exchange)
        }
    }

    /// A safe request gets the problem `overloaded`. The client of another request may not be told that nothing has happened, so
    /// its connection closes.
    fileprivate func refuseResponse(to head: RequestHead, _ exchange: Exchange) {
        if head.method == .get || head.method == .head {
            let response = Problem(.unavailable(.output)).response
            exchange.answer(finish(response, to: head, exchange.connection, since: exchange.startedAt))
        } else {
            exchange.disconnect()
        }
    }

    /// The response to send in place of one that says too much or too little about what was done; nil for any other.
    private func correction(of response: borrowing Response, to head: RequestHead) -> Response? {
        if mayBeDone, response.status == .serviceUnavailable {
            return Problem(JournalError.outcomeUnknown("")).response
        }
        guard response.problemCode == Problem.Code.outcomeUnknown.rawValue, head.method == .get || head.method == .head
        else { return nil }
        return Problem(.unavailable(.ownerUncertain)).response
    }

    func finish(
        _ response: consuming Response, to head: RequestHead, _ connection: any RequestSource,
        since start: MonotonicInstant
    ) -> Response {
        // Whoever speaks for the client decides how it is refused.
        if response.problemCode != nil, connection.origin == 0 {
            response = StreamRefusal.response(for: response, to: head, at: route)
        }
        if !fields.isEmpty { response.fields += fields }
        let named = response.naming(connection.requestID)
        let request = FinishedRequest(named, method: head.method, route: route, since: start)
        recorder.record(request, of: head, on: connection)
        return named
    }
}

extension Response {
    /// The response with the id of its request as the last member of the problem that it shows, if it shows one.
    ///
    /// Problems are made in many places, and the responses of earlier requests are replayed; all of them come by here.
    ///
    /// - Parameter requestID: needs no escaping.
    consuming func naming(_ requestID: String) -> Response {
        guard status.rawValue >= 400, body.suffix(2).elementsEqual("}\n".utf8) else { return self }
        let end = Array(",\"requestId\":\"\(requestID)\"}\n".utf8)
        // Another node, which has the session, may have added it already.
        guard !body.suffix(end.count).elementsEqual(end) else { return self }
        body.removeLast(2)
        body += end
        return self
    }
}
