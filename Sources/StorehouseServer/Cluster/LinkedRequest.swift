import HTTP
import HTTPServer
import Platform
import Security
import Sessions
import Stores

/// A request that another node forwards, and the place where its response goes. On the loop of its connection only.
final class LinkedRequest {
    /// The request as the handler sees it.
    let request: CarriedRequest
    /// Whether the other node has checked that the client is an operator.
    let isByOperator: Bool
    private let number: UInt32
    private let link: AcceptedLink
    /// Whether pieces of the stream may wait for the other node.
    @exclusivity(unchecked) private var hasWaited = false
    /// When it took bytes last, or when the first of them began to wait.
    private var lastTakenAt: MonotonicInstant

    init(_ request: CarriedRequest, _ number: UInt32, isByOperator: Bool, of link: AcceptedLink) {
        self.request = request
        self.number = number
        self.isByOperator = isByOperator
        self.link = link
        lastTakenAt = request.now
        request.carrier = self
    }

    /// The client has taken bytes of its stream that the others have waited for.
    func wasTaken(isAll: Bool) {
        lastTakenAt = request.now
        guard isAll else { return }
        hasWaited = false
        request.drained()
    }

    private func startWaiting() {
        if !hasWaited { lastTakenAt = request.now }
        hasWaited = true
    }

    /// The node that the client talks to cannot know whom a share has made a guest.
    private func nameGuest(in response: inout Response, to head: RequestHead) {
        guard head.asksForActor, let guest = (request.credentials as? PermitTerms)?.holder else { return }
        response.name(actor: Base64URL.encode(Array(guest.id.text.utf8)))
    }
}

extension LinkedRequest: ResponseCarrier {
    var isFull: Bool { link.isFull }

    var pendingBytes: Int { hasWaited ? link.pendingBytes(number) : 0 }

    func respond(_ response: Response, to head: RequestHead) {
        var response = response
        nameGuest(in: &response, to: head)
        link.respond(number, response)
    }

    func startStream(_ response: Response, to head: RequestHead) {
        var response = response
        nameGuest(in: &response, to: head)
        link.startBody(number, response)
    }

    func send(_ array: [UInt8], _ range: Range<Int>) {
        if !link.send(number, array, range) { startWaiting() }
    }

    func send(_ parts: [[UInt8]]) {
        if !link.send(number, parts) { startWaiting() }
    }

    func endStream() { link.end(number) }

    func cancel() { link.cancel(number) }
}

extension LinkedRequest: StreamClient {
    var heldBytes: Int { pendingBytes }

    var stalledTime: Duration { pendingBytes > 0 ? lastTakenAt.duration(to: request.now) : .zero }

    func disconnect() { request.disconnect() }

    func streamShouldEnd(among streamCount: Int) { request.streamShouldEnd(among: streamCount) }
}

extension RequestContext {
    /// Whether another node has sent the request.
    var isForwarded: Bool { exchange.connection.origin != 0 }

    /// Whether refusals leave here at set times. Another node waits with them itself, because it knows when its client has asked.
    var waitsWithRefusals: Bool { !isForwarded }

    /// Whether another node has checked that its client is an operator.
    var hasRightOfOperator: Bool {
        ((exchange.connection as? CarriedRequest)?.carrier as? LinkedRequest)?.isByOperator == true
    }

    /// Names the guest in the line of the access log whom the response of another node names.
    func logsGuest(namedIn response: inout Response) {
        guard let text = response.takeActor(), let id = Base64URL.decode(text.utf8) else { return }
        exchange.connection.credentials = LoggedGuest(.guest(ActorID(String(decoding: id, as: UTF8.self))))
    }
}
