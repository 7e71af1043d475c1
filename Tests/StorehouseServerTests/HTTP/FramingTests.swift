import JSON
import Sockets
import Testing

/// Requests as bytes on a connection: kept alive, pipelined, split anywhere.
@Suite struct FramingTests {
    private static let get = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"

    @Test(arguments: LoopImplementation.allCases)
    func aConnectionServesManyRequests(_ loops: LoopImplementation) async throws {
        try await LiveServer.run(loops: loops) { server in
            let session = try await server.session()
            let client = try server.client()
            for revision in 1...50 {
                let response = try await client.exchange(session.request("counter/increment"))
                #expect(response.revision == revision)
                #expect(response["connection"] == nil)
            }
        }
    }

    @Test func requestsMayArriveByteByByte() async throws {
        try await LiveServer.run { server in
            let session = try await server.session()
            let client = try server.client()
            let body = #"{"type":"counter/increment"}"#
            for revision in 1...2 {
                let head =
                    "POST \(session.path)/actions HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)"
                try await client.send(byteByByte: Array("\(head)\r\n\r\n\(body)".utf8))
                #expect(try await client.response().revision == revision)
            }
        }
    }

    @Test(arguments: LoopImplementation.allCases)
    func pipelinedRequestsAreAnsweredInOrder(_ loops: LoopImplementation) async throws {
        try await LiveServer.run(loops: loops) { server in
            let session = try await server.session()
            let client = try server.client()
            let requests = (1...200).map { number in
                number.isMultiple(of: 7)
                    ? TestRequest("GET", session.path + "/state") : session.request("counter/increment")
            }
            try await client.send(requests.flatMap(\.bytes))
            var count = 0
            for request in requests {
                if request.method == "POST" { count += 1 }
                let response = try await client.response()
                #expect(response.revision == count)
                #expect(response.at("/state/counter/count") == .integer(count))
            }
        }
    }

    @Test func chunkedBodiesAreAccepted() async throws {
        try await LiveServer.run { server in
            let session = try await server.session()
            let client = try server.client()
            try await client.send(
                "POST \(session.path)/actions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "5;a=b\r\n{\"typ\r\n0017\r\ne\":\"counter/increment\"}\r\n0\r\nX: y\r\n\r\n" + Self.get)
            #expect(try await client.response().revision == 1)
            #expect(try await client.response()[json: "status"] == "alive")
        }
    }

    @Test func continueIsSentBeforeTheBodyIsRead() async throws {
        try await LiveServer.run { server in
            let session = try await server.session()
            let client = try server.client()
            let body = #"{"type":"counter/increment"}"#
            try await client.send(
                "POST \(session.path)/actions HTTP/1.1\r\nHost: localhost\r\nExpect: 100-Continue\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n")
            #expect(try await client.response().status == 100)
            try await client.send(body)
            #expect(try await client.response().revision == 1)
        }
    }

    @Test func noContinueIsSentForABodyThatIsTooLarge() async throws {
        try await LiveServer.run { server in
            let client = try server.client()
            try await client.send(
                "POST /sessions HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 65537\r\n\r\n")
            #expect(try await client.response().code == "body-too-large")
        }
    }

    @Test func anHTTP10ConnectionClosesUnlessKeepAliveIsRequested() async throws {
        try await LiveServer.run { server in
            let once = try server.client()
            try await once.send("GET /healthz HTTP/1.0\r\n\r\n")
            let response = try await once.response()
            #expect(response.status == 200)
            #expect(response["transfer-encoding"] == nil)
            #expect(try await once.rest().isEmpty)
            let kept = try server.client()
            for _ in 0..<2 {
                try await kept.send("GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                #expect(try await kept.response()["connection"]?.lowercased() == "keep-alive")
            }
        }
    }

    @Test func aHalfClosedConnectionStillGetsItsResponses() async throws {
        try await LiveServer.run { server in
            let session = try await server.session()
            let client = try server.client()
            try await client.send(session.request("counter/increment").bytes + Array(Self.get.utf8))
            try await client.finishSending()
            #expect(try await client.response().revision == 1)
            #expect(try await client.response()[json: "status"] == "alive")
            #expect(try await client.rest().isEmpty)
        }
    }

    @Test func emptyLinesBeforeARequestAreSkipped() async throws {
        try await LiveServer.run { server in
            let client = try server.client()
            try await client.send(Self.get + "\r\n" + Self.get)
            #expect(try await client.response().status == 200)
            #expect(try await client.response().status == 200)
        }
    }

    @Test func connectionCloseClosesTheConnection() async throws {
        try await LiveServer.run { server in
            let client = try server.client()
            try await client.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" + Self.get)
            #expect(try await client.response()["connection"] == "close")
            #expect(try await client.rest().isEmpty)
        }
    }
}
