import Sockets

/// One listener on one loop, with a script for each connection. Stops with everything it has when the test ends.
struct TestServer {
    let loop: any EventLoop
    let address: SocketAddress

    /// Runs a server on a free port while `body` runs.
    static func run(
        _ implementation: LoopImplementation,
        script: @escaping @Sendable (Channel, ScriptedDelegate) -> Void,
        _ body: (TestServer) async throws -> Void
    ) async throws {
        let loop = try implementation.makeLoop(label: "test")
        let socket = try ListeningSocket.open(SocketAddress(host: "127.0.0.1", port: 0), count: 1)[0]
        loop.execute {
            _ = try? Listener(socket, on: loop) { accepted in
                let delegate = ScriptedDelegate()
                guard let channel = try? Channel(owning: accepted.descriptor, on: loop, delegate: delegate) else {
                    return
                }
                script(channel, delegate)
            }
        }
        do {
            try await body(TestServer(loop: loop, address: socket.address))
        } catch {
            await loop.stop()
            throw error
        }
        await loop.stop()
    }
}
