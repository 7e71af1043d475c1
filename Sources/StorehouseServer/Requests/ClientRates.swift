import HTTP
import HTTPServer
import Sessions

/// Tells whose rates a request counts for, and limits how many requests a client may send.
struct ClientRates: Sendable {
    /// Nil if the limit is off.
    private let requests: RateLimiter<RateLimits.Client>?
    private let proxies: TrustedProxies

    init(_ limit: TokenBucket?, behind proxies: TrustedProxies, clock: WallClock) {
        requests = RateLimiter(limit, clock)
        self.proxies = proxies
    }

    /// - Parameters:
    ///   - fields: those of the request; nil if they could not be read.
    ///   - peer: the address at the other end of the connection.
    func admitRequest(_ fields: HTTPFields?, peer: @autoclosure () -> IPAddress) throws(SessionFailure) {
        try requests?.take(from: client(fields, peer()), of: .requests)
    }

    func client(of context: RequestContext) -> RateLimits.Client {
        client(context.head.fields, context.exchange.peer)
    }

    private func client(_ fields: HTTPFields?, _ peer: IPAddress) -> RateLimits.Client {
        RateLimits.Client(address: (fields.map { proxies.client(behind: peer, $0) } ?? peer).client.bits)
    }
}
