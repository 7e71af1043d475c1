import JSON
import RemoteServices
import ServerWiring
import StoreHosting
import StoreKinds
import Stores
import Testing
import Upstream

/// The demo services over a socket.
@Suite(.timeLimit(.minutes(5))) struct DemoUpstreamTests {
    private static let echo = RemoteService("echo") { request in
        RemoteResponse(
            status: 202, contentType: "text/plain", headers: ["X-Method": request.method],
            body: Array((request.target ?? "-").utf8) + request.body)
    }

    private static let bank = RemoteService("bank") { _ in .json(["reason": "no-funds"], status: 402) }

    private func call(_ path: String, _ request: RemoteRequest) async throws -> RemoteResponse {
        let services = StoreKind.all.flatMap(\.services) + [Self.echo, Self.bank, RemoteService("silent")]
        let demo = try DemoUpstreamServer(services, maxDelay: .zero)
        let curl = try CurlUpstreams(userAgent: "tests")
        var settings = UpstreamSettings(name: "demo", url: demo.url + path)
        settings.timeout = .seconds(60)
        let client = try curl.client(for: settings)
        do {
            let response = try await client.call(request)
            await curl.shutdown()
            await demo.stop()
            return response
        } catch {
            await curl.shutdown()
            await demo.stop()
            throw error
        }
    }

    @Test func theServicesOfTheReferenceKindsHaveTheirPaths() async throws {
        #expect(try await call("/animal", RemoteRequest()).text(at: "animal").isEmpty == false)
        for (password, status) in [("some password", 200), ("another", 401)] {
            let body: JSONValue = ["username": "some username", "password": .string(password)]
            let login = RemoteRequest(
                method: "POST", body: Array(body.description.utf8), contentType: "application/json")
            let response = try await call("/login", login)
            #expect(response.status == status)
            if status == 200 { #expect(try response.text(at: "token").count > 8) }
        }
        #expect(try await call("/login", RemoteRequest(method: "POST", body: [1])).status == 400)
    }

    @Test func aServiceOfAUserIsBelowItsName() async throws {
        let response = try await call("/echo", RemoteRequest(method: "PUT", target: "/a/b?c=d", body: [33]))
        #expect(response.status == 202)
        #expect(response.headers["x-method"] == "PUT")
        #expect(response.contentType == "text/plain")
        #expect(response.body == Array("/a/b?c=d!".utf8))
        #expect(try await call("/echo", RemoteRequest()).body == [45])
    }

    @Test func aServiceMayDecline() async throws {
        let response = try await call("/bank", RemoteRequest(method: "POST"))
        #expect(response.status == 402)
        #expect(response.body == Array(#"{"reason":"no-funds"}"#.utf8))
    }

    @Test func aServiceWithoutADemoIsNotServed() async throws {
        let response = try await call("/silent", RemoteRequest())
        #expect(response.status == 404)
        let problem = String(decoding: response.body, as: UTF8.self)
        #expect(problem.contains("The services are /animal and /bank and /echo and /login."))
    }
}
