import Sockets
import Testing

@Suite struct ChannelTests {
    @Test(arguments: LoopImplementation.allCases)
    func echoesWhatItReceives(_ implementation: LoopImplementation) async throws {
        try await TestServer.run(implementation) { _, delegate in
            delegate.onReceived = { channel, bytes in
                channel.write(Array(bytes))
                return bytes.count
            }
        } _: { server in
            let client = try TestClient(server.address)
            for text in ["one", "two", "three"] {
                try client.send(text)
                #expect(try client.receiveText(text.utf8.count) == text)
            }
        }
    }
}
