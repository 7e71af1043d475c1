import Dispatch
import FaultyServices
import Locks
import Platform

/// Accepts connections for a server that a test plays.
final class TestListener: Sendable {
    let port: Int
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "listener")

    init() throws {
        let (descriptor, port) = try TestSocket.listen()
        (self.descriptor, self.port) = (descriptor, Int(port))
    }

    deinit { TestSocket.shut(descriptor) }

    /// The next connection.
    func connection() async throws -> TestClient {
        try await Promise.value { done in
            queue.async { [descriptor] in done(Result { TestClient(accepted: try Self.accept(descriptor)) }) }
        }.get()
    }

    private static func accept(_ listener: Int32) throws -> Int32 {
        var entry = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, Int32(Wire.waitTimeout) * 1000) == 1, let descriptor = TestSocket.accept(listener) else {
            throw Wire.Failure.tookTooLong
        }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
        return descriptor
    }
}
