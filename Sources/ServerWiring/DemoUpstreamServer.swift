package import HTTP
package import HTTPServer
package import RemoteServices
package import Sockets
import StorehouseServer

/// The demo services on a port of both loopback addresses, with an event loop of their own.
package final class DemoUpstreamServer: Sendable {
    /// `http://127.0.0.1:43121`
    package let url: String
    private let group: EventLoopGroup
    private let http: HTTPServer

    /// - Parameters:
    ///   - services: the services. Those without a demo are left out.
    ///   - port: 0 for any free port.
    ///   - maxDelay: the longest random delay of a GET.
    package init(_ services: [RemoteService], port: Int = 0, maxDelay: Duration) throws(SocketError) {
        let addresses = try SocketAddress.listening(host: "localhost", port: UInt16(clamping: port))
        group = try EventLoopGroup(count: 1)
        do throws(SocketError) {
            http = try HTTPServer(
                on: addresses, group, settings: HTTPServer.Settings(),
                handler: DemoUpstreamHandler(services, maxDelay: maxDelay))
        } catch {
            group.stop {}
            throw error
        }
        url = "http://\(http.address)"
    }

    /// Answers the requests in progress, closes every connection and stops the loop.
    ///
    /// - Parameter timeout: the time for the requests in progress.
    package func drain(within timeout: Duration) async {
        await http.drain(within: timeout)
        await http.stopListening()
        await group.stop()
    }

    /// Closes every connection and stops the loop.
    package func stop() async { await group.stop() }
}

/// Answers as the remote services do, each below its own path.
package final class DemoUpstreamHandler: RequestHandler {
    private let demos: [String: RemoteService.Demo]
    private let maxDelay: Duration

    /// - Parameter maxDelay: the longest random delay of a GET.
    package init(_ services: [RemoteService], maxDelay: Duration) {
        demos = Dictionary(services.compactMap { service in service.demo.map { (service.demoPath, $0) } }) { $1 }
        self.maxDelay = maxDelay
    }

    package func handle(_ request: Request, _ exchange: Exchange) {
        var path = request.head.path
        guard let demo = demos[path.next()?.string ?? ""] else {
            let paths = demos.keys.sorted().map { "/" + $0 }.joined(separator: " and ")
            return exchange.answer(Problem(.noSuchResource, "The services are \(paths).").response)
        }
        let remote = Self.remoteRequest(request)
        guard request.head.method == .get else { return exchange.answer(Self.response(demo(remote))) }
        // The delay shows what clients see while a call runs.
        let deferred = exchange.deferred
        deferred.schedule(after: maxDelay * Double.random(in: 0...1)) {
            deferred.here?.answer(Self.response(demo(remote)))
        }
    }

    package func response(
        to failure: RequestFailure, of head: RequestHead?, on connection: any RequestSource
    ) -> Response {
        Problem(Problem.Code(rawValue: failure.code) ?? .malformedRequest, failure.detail).response
    }

    /// The request as a store's middleware makes it: its target is what follows the path of the service.
    private static func remoteRequest(_ request: Request) -> RemoteRequest {
        let head = request.head
        let rest = head.target.dropFirst().drop { $0 != "/" && $0 != "?" }
        return RemoteRequest(
            method: "\(head.method)", target: rest.isEmpty ? nil : String(rest),
            headers: Dictionary(head.fields.map { ($0.name, $0.value) }) { "\($0), \($1)" }, body: request.body,
            contentType: head.fields.first("content-type"))
    }

    private static func response(_ answer: RemoteResponse) -> Response {
        guard let status = HTTPStatus(rawValue: answer.status) else {
            return Problem(.internalError, "The demo answered \(answer.status), which this server cannot send.")
                .response
        }
        var fields = answer.headers.fields.map { Response.Field($0.name, $0.value) }
        if let type = answer.contentType { fields.append(Response.Field("Content-Type", type)) }
        return Response(status, fields: fields, body: answer.body)
    }
}
