import FaultyServices
import Foundation
import RemoteServices
import Sockets
import Stores
import Testing
import Upstream

/// Calls to a service that does what it should.
@Suite(.timeLimit(.minutes(5))) struct RemoteCallTests {
    @Test(arguments: LoopImplementation.allCases)
    func aGetReturnsTheResponse(_ implementation: LoopImplementation) async throws {
        let upstream = try FaultyUpstream(.send(Answer.ok()))
        try await withClient(of: upstream, on: implementation) { client in
            let answer = try await client.call(RemoteRequest())
            #expect(answer.status == 200)
            #expect(answer.contentType == "application/json")
            #expect(String(decoding: answer.body, as: UTF8.self) == #"{"animal":"Cat"}"#)
        }
        let request = try #require(upstream.record.requests.first)
        #expect(request.line == "GET / HTTP/1.1")
        #expect(request.field("accept") == "application/json")
        #expect(request.field("user-agent") == "storehouse/0")
    }

    @Test(arguments: LoopImplementation.allCases)
    func aPostSendsItsBody(_ implementation: LoopImplementation) async throws {
        let upstream = try FaultyUpstream(.send(Answer.status(401)))
        try await withClient(of: upstream, on: implementation) { client in
            let request = RemoteRequest(method: "POST", body: Array("{}".utf8), contentType: "application/json")
            let answer = try await client.call(request)
            #expect(answer.status == 401)
            #expect(answer.contentType == nil)
            #expect(answer.headers["CONTENT-LENGTH"] == "0")
            #expect(answer.headers["Content-Lengt"] == nil)
            #expect(answer.body.isEmpty)
        }
        let request = try #require(upstream.record.requests.first)
        #expect(request.line == "POST / HTTP/1.1")
        #expect(request.field("content-type") == "application/json")
        #expect(request.field("content-length") == "2")
        #expect(request.body == "{}")
    }

    @Test func aRequestAddsItsTargetAndFieldsToTheSettings() async throws {
        let upstream = try FaultyUpstream(.send(Answer.status(200, "X-Mood: grumpy ")))
        try await withClient(url: upstream.url + "v1/?key=a#x") {
            $0.headers = ["X-Key": "configured", "Authorization": "Bearer secret"]
        } _: { client in
            let request = RemoteRequest(
                target: "/cats/" + RemoteRequest.percentEncoded("a b/ü") + "?limit=1", headers: ["x-key": "own"])
            let answer = try await client.call(request)
            #expect(answer.headers["x-mood"] == "grumpy")
        }
        let request = try #require(upstream.record.requests.first)
        #expect(request.line == "GET /v1/cats/a%20b%2F%C3%BC?key=a&limit=1 HTTP/1.1")
        #expect(request.field("x-key") == "own")
        #expect(request.field("authorization") == "Bearer secret")
    }

    @Test(arguments: [
        RemoteRequest(target: "cats"), RemoteRequest(target: ""), RemoteRequest(target: "/../admin"),
        RemoteRequest(target: "/a/%2E%2e/b"), RemoteRequest(target: "/a b"), RemoteRequest(target: "/a\r\nX: y"),
        RemoteRequest(target: "@elsewhere.example/"), RemoteRequest(target: ":80/"), RemoteRequest(target: #"/\a"#),
        RemoteRequest(target: "/ü"), RemoteRequest(target: "/a#b"), RemoteRequest(headers: ["X": "a\r\nY: b"]),
        RemoteRequest(headers: ["Content-Length": "9"]), RemoteRequest(method: "GET /x HTTP/1.1"),
        RemoteRequest(method: ""),
    ])
    func aRequestThatCouldLeaveTheServiceIsNotSent(_ request: RemoteRequest) async throws {
        let upstream = try FaultyUpstream(.send(Answer.ok()))
        try await withClient(of: upstream) { client in
            #expect(await client.outcome(request) == "unreachable")
        }
        #expect(upstream.record.connections == 0)
    }

    @Test func aRequestCanShortenTheTimeout() async throws {
        let upstream = try FaultyUpstream(.hang)
        try await withClient(of: upstream) {
            $0.timeout = .seconds(600)
        } _: { client in
            #expect(await client.outcome(RemoteRequest(timeout: .milliseconds(100))) == "timeout")
        }
    }

    @Test(arguments: [("GET", true, 3), ("GET", false, 1), ("POST", true, 3), ("POST", false, 1)])
    func aRequestCanDeclareItselfIdempotent(_ method: String, _ isIdempotent: Bool, requests: Int) async throws {
        let upstream = try FaultyUpstream(.reset)
        try await withClient(of: upstream) { client in
            let request = RemoteRequest(method: method, isIdempotent: isIdempotent)
            #expect(await client.outcome(request) == "unreachable")
        }
        #expect(upstream.record.requests.count == requests)
    }

    #if os(Linux)
        /// The kernel shows a timer of the kind 2 for a connection that it keeps alive.
        @Test func connectionsUseTCPKeepalive() async throws {
            let upstream = try FaultyUpstream(.hold, .send(Answer.ok()))
            try await withClient(of: upstream) { client in
                async let outcome = client.outcome()
                await upstream.until { $0.requests.count == 1 }
                // Another timer runs until the request is acknowledged.
                let limit = ContinuousClock.now + .seconds(60)
                while try timers(ofConnectionsTo: upstream.port) != ["02"] {
                    try #require(ContinuousClock.now < limit)
                    await Task.yield()
                }
                upstream.release()
                #expect(await outcome == "200")
            }
        }

        /// The kinds of the timers of the established connections to a port.
        ///
        /// The kernel may leave out a connection or list it twice, if others begin or end between two reads.
        private func timers(ofConnectionsTo port: UInt16) throws -> Set<String> {
            // The file has no size; Foundation would take the first page for all of it.
            let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/self/net/tcp"))
            defer { try? file.close() }
            var text: [UInt8] = []
            while let page = try file.read(upToCount: 65_536), !page.isEmpty { text += page }
            let digits = String(port, radix: 16, uppercase: true)
            let address = "0100007F:" + String(repeating: "0", count: 4 - digits.count) + digits
            let rows = String(decoding: text, as: UTF8.self).split(separator: "\n").map { $0.split(separator: " ") }
            let found = rows.filter { $0.count > 5 && $0[2] == address && $0[3] == "01" }
            return Set(found.map { String($0[5].prefix(2)) })
        }
    #endif
}
