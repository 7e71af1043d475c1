import FaultyServices
import RemoteServices
import Sockets
import Stores
import Testing
import Upstream

/// Credentials go to the service they are for, and nowhere else.
@Suite(.timeLimit(.minutes(5))) struct RedirectTests {
    private static let credentials = ["Authorization": "Bearer secret", "X-Api-Key": "secret", "Cookie": "a=secret"]

    private func secrets(in request: FaultyUpstream.Request) -> Int {
        Self.credentials.keys.count { request.field($0) != nil }
    }

    private func call(_ upstream: FaultyUpstream) async throws {
        try await withClient(of: upstream) {
            $0.headers = Self.credentials
        } _: { client in
            #expect(await client.outcome() == "200")
        }
    }

    @Test func aRedirectToTheSameOriginSendsTheFields() async throws {
        let upstream = try FaultyUpstream(inTurn: [
            [.send(Answer.status(302, "Location: /there"))], [.send(Answer.ok())],
        ])
        try await call(upstream)
        #expect(upstream.record.requests.map(\.line) == ["GET / HTTP/1.1", "GET /there HTTP/1.1"])
        #expect(upstream.record.requests.map(secrets) == [3, 3])
    }

    @Test func aRedirectToAnotherOriginSendsNoFields() async throws {
        let other = try FaultyUpstream(.send(Answer.ok()))
        let url = other.url
        let upstream = try FaultyUpstream(.send(Answer.status(307, "Location: \(url)")))
        try await call(upstream)
        #expect(upstream.record.requests.map(secrets) == [3])
        #expect(other.record.requests.map(secrets) == [0])
        #expect(other.record.requests.first?.field("accept") == "application/json")
    }

    @Test func aRedirectToAnotherOriginSendsNoBody() async throws {
        let other = try FaultyUpstream(.send(Answer.ok()))
        let url = other.url
        let upstream = try FaultyUpstream(.send(Answer.status(307, "Location: \(url)")))
        try await withClient(of: upstream) { client in
            let search = RemoteRequest(body: Array("secret".utf8), contentType: "text/plain")
            #expect(await client.outcome(search) == "200")
        }
        #expect(upstream.record.requests.map(\.body) == ["secret"])
        #expect(other.record.requests.map(\.body) == [""])
        #expect(other.record.requests.first?.field("content-type") == nil)
    }

    /// A key set must come from its own origin.
    @Test func aServiceThatStaysAtItsOriginFollowsNoRedirectToAnotherOne() async throws {
        let other = try FaultyUpstream(.send(Answer.ok()))
        let url = other.url
        let upstream = try FaultyUpstream(inTurn: [
            [.send(Answer.status(302, "Location: /there"))], [.send(Answer.ok())],
            [.send(Answer.status(302, "Location: \(url)"))],
        ])
        try await withClient(of: upstream) {
            $0.followsToOtherOrigins = false
        } _: { client in
            #expect(await client.outcome() == "200")
            let failure = await #expect(throws: RemoteFailure.self) { _ = try await client.call(RemoteRequest()) }
            #expect(failure == RemoteFailure(.badStatus, "animal redirected to another origin"))
        }
        #expect(other.record.requests.isEmpty)
    }

    @Test func aRedirectBackToTheOriginSendsNoFields() async throws {
        let upstream = try FaultyUpstream { request in
            let other = request.field("host")?.replacing("127.0.0.1", with: "localhost") ?? ""
            return switch request.index {
            case 0: [.send(Answer.status(302, "Location: http://\(other)/elsewhere"))]
            case 1: [.send(Answer.status(302, "Location: http://\(other.replacing("localhost", with: "127.0.0.1"))/"))]
            default: [.send(Answer.ok())]
            }
        }
        try await call(upstream)
        #expect(upstream.record.requests.map(secrets) == [3, 0, 0])
    }

    @Test func aPasswordInTheURLIsNotSentToAnotherOrigin() async throws {
        let other = try FaultyUpstream(.send(Answer.ok()))
        let url = other.url
        let upstream = try FaultyUpstream(.send(Answer.status(302, "Location: \(url)")))
        try await withClient(url: "http://name:secret@127.0.0.1:\(upstream.port)/") { client in
            #expect(await client.outcome() == "200")
        }
        #expect(upstream.record.requests.first?.field("authorization") != nil)
        #expect(other.record.requests.first?.field("authorization") == nil)
    }
}
