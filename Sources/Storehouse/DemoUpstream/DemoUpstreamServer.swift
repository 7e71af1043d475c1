package import HTTP
package import HTTPServer
import JSON
package import Sockets

/// The demo services on a loopback port, with an event loop of their own.
package final class DemoUpstreamServer: Sendable {
    /// `http://127.0.0.1:43121`
    package let url: String
    private let group: EventLoopGroup
    private let http: HTTPServer

    /// - Parameters:
    ///   - port: 0 for any free port.
    ///   - maxDelay: the longest random delay of `GET /animal`.
    package init(port: Int = 0, maxDelay: Duration) throws(SocketError) {
        let address = try SocketAddress(host: "127.0.0.1", port: UInt16(clamping: port))
        group = try EventLoopGroup(count: 1)
        do throws(SocketError) {
            http = try HTTPServer(
                on: address, group, settings: HTTPServer.Settings(), handler: DemoUpstreamHandler(maxDelay: maxDelay))
        } catch {
            group.stop {}
            throw error
        }
        url = "http://\(http.address)"
    }

    /// Closes every connection and stops the loop.
    package func stop() async { await group.stop() }
}

/// Answers as the remote services do: `GET /animal` with a random animal, `POST /login` with a token for one known user.
package final class DemoUpstreamHandler: RequestHandler {
    private static let animals = ["Cat", "Dog", "Crow", "Horse", "Iguana", "Cow", "Racoon"]

    private let maxDelay: Duration

    /// - Parameter maxDelay: the longest random delay of `GET /animal`.
    package init(maxDelay: Duration) { self.maxDelay = maxDelay }

    package func handle(_ request: Request, _ exchange: Exchange) {
        var path = request.head.path
        switch (request.head.method, path.next(), path.next()) {
        case (.get, "animal"?, nil): sendAnimal(exchange)
        case (.post, "login"?, nil): exchange.answer(Self.login(request.body))
        default:
            let hint = "There is GET /animal, and POST /login with {\"username\",\"password\"}."
            exchange.answer(Problem(.noSuchResource, hint).response)
        }
    }

    package func response(to failure: RequestFailure) -> Response {
        Problem(Problem.Code(rawValue: failure.code) ?? .malformedRequest, failure.detail).response
    }

    private func sendAnimal(_ exchange: Exchange) {
        let deferred = exchange.deferred
        let name = Self.animals.randomElement() ?? ""
        let body = Self.document("animal", name)
        deferred.answer(after: maxDelay * Double.random(in: 0...1)) { .document(body) }
    }

    private static func login(_ body: [UInt8]) -> Response {
        guard let json = try? JSONValue(parsing: body) else {
            return Problem(.malformedJSON, "Send {\"username\",\"password\"}.").response
        }
        guard json["username"]?.asString == "some username", json["password"]?.asString == "some password" else {
            return Problem(.unauthorized, "Nobody has this name and password.").response
        }
        return .document(document("token", SessionID.random().description))
    }

    private static func document(_ name: StaticString, _ value: String) -> [UInt8] {
        var json = JSONWriter()
        json.object { $0.member(name, value) }
        return json.finish()
    }
}
