import Cluster
import HTTP
import HTTPServer

/// The request of a client at another node, whose response the client gets. On the client's loop only.
final class ForwardedCall: ForwardedRequestOwner {
    /// There is no response that the client may get. Called once at most.
    typealias Failed = (_ failure: RoutedRequest.Failure, _ context: RequestContext) -> Void

    private let context: RequestContext
    private let forwarder: Forwarder
    private let isStream: Bool
    private let failed: Failed

    init(_ context: RequestContext, by forwarder: Forwarder, failed: @escaping Failed) {
        (self.context, self.forwarder, self.failed) = (context, forwarder, failed)
        isStream = context.decorator.route?.isStream == true && context.head.method == .get
    }

    var distrustsSilence: Bool { true }

    func ended(_ request: ForwardedRequest, _ outcome: ForwardedRequest.Outcome) {
        switch outcome {
        case .response(let response): forwarder.answer(context, with: response, isOfStream: isStream)
        case .stream(let response, let source) where isStream: forwarder.relay(response, source, request, context)
        case .noRoom: context.refuseResponse()
        case .notHere: failed(.notHere, context)
        case .notSent: failed(.notSent, context)
        case .stream, .unknown: failed(.unknown, context)
        }
    }
}
