import HTTP
import HTTPServer
import Security
import Sessions
import Stores

extension RequestContext {
    /// Whether another node has sent the request.
    var isForwarded: Bool { exchange.connection.origin != 0 }

    /// Whether refusals leave here at set times. Another node waits with them itself, because it knows when its client has asked.
    var waitsWithRefusals: Bool { !isForwarded }

    /// Whether another node has checked that its client is an operator.
    var hasRightOfOperator: Bool { (exchange.connection as? MultiplexedRequest)?.isByOperator == true }

    /// Names the guest in the line of the access log whom the response of another node names.
    func logsGuest(namedIn response: inout Response) {
        guard let text = response.takeActor(), let id = Base64URL.decode(text.utf8) else { return }
        exchange.connection.credentials = LoggedGuest(.guest(ActorID(String(decoding: id, as: UTF8.self))))
    }
}

extension MultiplexedRequest {
    /// A response that names the guest whom a share has made of the client: the node that the client talks to cannot know.
    func namingGuest(in response: Response) -> Response {
        guard head.asksForActor, let guest = (credentials as? PermitTerms)?.holder else { return response }
        var response = response
        response.name(actor: Base64URL.encode(Array(guest.id.text.utf8)))
        return response
    }
}
