import Sockets
import Threads

/// A listener on a loop that runs a script for each connection. It stops when the test ends.
struct TestServer {
    let loop: any EventLoop
    let address: SocketAddress
    let listening: Int32

    /// Runs a server on a free port while `body` runs.
    static func run(
        _ implementation: LoopImplementation,
        script: @escaping @Sendable (Channel, ScriptedDelegate) -> Void,
        _ body: (TestServer) async throws -> Void
    ) async throws {
        let socket = try ListeningSocket.open(SocketAddress(host: "127.0.0.1", port: 0), count: 1)[0]
        try await withLoop(implementation) { loop in
            loop.execute {
                _ = try? Listener(socket, on: loop) { accepted in
                    let delegate = ScriptedDelegate()
                    if let channel = try? Channel(owning: accepted.descriptor, on: loop, delegate: delegate) {
                        script(channel, delegate)
                    }
                }
            }
            try await body(TestServer(loop: loop, address: socket.address, listening: socket.descriptor))
        }
    }
}
