import HTTP
import HTTPServer
import StoreHosting

/// A request being handled: what it is, where its answer goes, and what every answer to it has.
struct Call {
    let request: Request
    let exchange: Exchange
    let reply: Reply

    init(_ request: Request, _ exchange: Exchange, cors: CORS, log: AccessLog?, _ metrics: Metrics) {
        self.request = request
        self.exchange = exchange
        reply = Reply(fields: cors.fields(for: request.head), log: log, metrics: metrics)
    }

    var head: RequestHead { request.head }

    func answer(_ response: Response) { exchange.answer(reply.finish(response)) }

    /// The same, to be answered from any thread.
    var deferred: DeferredCall { DeferredCall(exchange: exchange.deferred, reply: reply) }

    /// The same, to go on with once something is there.
    var later: LaterCall { LaterCall(request: request, call: deferred) }

    fileprivate init(_ request: Request, _ exchange: Exchange, _ reply: Reply) {
        self.request = request
        self.exchange = exchange
        self.reply = reply
    }
}

/// A request that is gone on with later.
struct LaterCall: Sendable {
    let request: Request
    let call: DeferredCall

    /// Calls `body` on the connection's loop, or `gone` where the client is gone by then; what `body` throws is the answer.
    func resume(
        _ body: @escaping @Sendable (Call) throws(Problem) -> Void, gone: @escaping @Sendable () -> Void = {}
    ) {
        call.exchange.resume { exchange in
            if let exchange { proceed(exchange, body) } else { gone() }
        }
    }

    /// The same in a later turn of the loop.
    func resumeLater(_ body: @escaping @Sendable (Call) throws(Problem) -> Void) {
        call.exchange.resumeLater { exchange in
            if let exchange { proceed(exchange, body) }
        }
    }

    private func proceed(_ exchange: Exchange, _ body: (Call) throws(Problem) -> Void) {
        let call = Call(request, exchange, call.reply)
        do throws(Problem) {
            try body(call)
        } catch {
            call.answer(error.response)
        }
    }
}

/// A request that is answered later.
struct DeferredCall: Sendable {
    let exchange: DeferredExchange
    let reply: Reply

    /// Sends the answer if this is the connection's loop, and makes no answer elsewhere.
    /// - Returns: whether it is.
    func answerHere(_ make: () -> Response) -> Bool {
        guard let exchange = exchange.here else { return false }
        exchange.answer(reply.finish(make()))
        return true
    }

    func answer(_ make: @escaping @Sendable () -> Response) {
        exchange.answer { [reply] in reply.finish(make()) }
    }

    /// Answers after `delay`, unless an answer is given before.
    func answer(after delay: Duration, _ make: @escaping @Sendable () -> Response) {
        exchange.answer(after: delay) { [reply] in reply.finish(make()) }
    }
}

/// What every answer to one request has: the fields that its origin needs, and a line in the log.
struct Reply: Sendable {
    let fields: [Response.Field]
    private let log: AccessLog?
    private let metrics: Metrics

    init(fields: [Response.Field], log: AccessLog?, metrics: Metrics) {
        self.fields = fields
        self.log = log
        self.metrics = metrics
    }

    /// Notes what the answer is, or the stream in its place.
    func note(_ status: HTTPStatus) {
        log?.write(status)
        metrics.answered(status)
    }

    func finish(_ response: consuming Response) -> Response {
        note(response.status)
        if !fields.isEmpty { response.fields += fields }
        return response
    }
}
