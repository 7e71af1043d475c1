import FaultyServices
import StoreHosting
import StorehouseClient
import Testing

/// No connection is left of a store that nobody holds any more.
@MainActor @Suite struct SocketLeakTests {
    @Test func `no socket is left of a store with a stream and a request`() async throws {
        let service = try FaultyUpstream { request in
            request.line.hasPrefix("GET") ? [.send(Self.stream), .hang] : [.hang]
        }
        var transport: CurlTransport? = CurlTransport()
        let left = Weak(transport)
        var store: RemoteStore<Hall>? = RemoteStore(
            seats, at: "http://127.0.0.1:\(service.port)", session: .mine, transport: transport)
        transport = nil
        while store?.connection.status != .live { await Task.yield() }
        let sent = store?.send(book("Ada"))
        await service.until { $0.requests.count == 2 }
        #expect(service.record.open == 2)
        store = nil
        await service.until { $0.open == 0 }
        await #expect(throws: ConnectionEnded.self) { try await sent?.confirmed }
        while left.object != nil { await Task.yield() }
    }

    private nonisolated static let stream = """
        HTTP/1.1 200 OK\r
        Content-Type: text/event-stream\r
        \r
        event: state
        id: h-0
        data: {"revision":0,"state":{"guests":[],"hosts":[]}}

        event: ready
        data: {"revision":0,"history":"h","heartbeat":15}


        """
}
