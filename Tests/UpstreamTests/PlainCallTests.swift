import Sockets
import Stores
import Testing
import Upstream

/// Calls to a service that does what it should.
@Suite(.timeLimit(.minutes(5))) struct PlainCallTests {
    @Test(arguments: LoopImplementation.allCases)
    func aGetBringsTheAnswer(_ implementation: LoopImplementation) async throws {
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
            #expect(answer == RemoteAnswer(status: 401))
        }
        let request = try #require(upstream.record.requests.first)
        #expect(request.line == "POST / HTTP/1.1")
        #expect(request.field("content-type") == "application/json")
        #expect(request.field("content-length") == "2")
        #expect(request.body == "{}")
    }
}
