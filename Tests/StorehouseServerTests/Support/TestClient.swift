import Dispatch
import Locks

/// A client on one connection.
///
/// On a socket it blocks on a queue of its own and never on the threads of the tests, which the server's tasks need too.
final class TestClient: Sendable {
    // Guards the connection. Only jobs of the queue take a socket, so it is never contended.
    private let wire: Locked<Wire>
    private let queue = DispatchQueue(label: "client")

    init(port: Int, receiveBuffer: Int32? = nil) throws {
        wire = Locked(try Wire(port: port, receiveBuffer: receiveBuffer))
    }

    /// Takes over a connection that was accepted.
    init(accepted descriptor: Int32) { wire = Locked(Wire(accepted: descriptor)) }

    /// A client without a socket.
    init(_ memory: MemoryConnection) { wire = Locked(Wire(memory)) }

    deinit { wire.withLock { $0.shut() } }

    func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) async throws { try await perform { try $0.send(bytes[...]) } }

    /// Sends each byte in a packet of its own, as far as the system lets us.
    func send(byteByByte bytes: [UInt8]) async throws {
        try await perform { wire in
            for byte in bytes { try wire.send([byte]) }
        }
    }

    func finishSending() async throws { try await perform { $0.finish() } }

    /// A client that has taken little takes as much as any other from now on.
    func enlargeReceiveBuffer() async throws { try await perform { $0.enlargeReceiveBuffer() } }

    #if os(Linux)
        /// Nothing reaches the client from now on.
        func loseNetwork() async throws { try await perform { $0.loseNetwork() } }
    #endif

    /// The connection will be reset when the client goes.
    func makeReset() async throws { try await perform { $0.makeReset() } }

    /// The lines of a request without a body.
    func requestHead() async throws -> [String] {
        try await perform { wire in
            var lines: [String] = []
            while true {
                let line = try wire.line()
                if line.isEmpty { return lines }
                lines.append(line)
            }
        }
    }

    func head() async throws -> TestResponse { try await perform { try $0.head() } }

    func response(to method: String = "GET") async throws -> TestResponse {
        try await perform { try $0.response(to: method) }
    }

    func exchange(_ request: TestRequest) async throws -> TestResponse {
        try await send(request.bytes)
        return try await response(to: request.method)
    }

    /// A piece of a chunked body; nil at its end.
    func chunk() async throws -> [UInt8]? { try await perform { try $0.chunk() } }

    /// Whatever has come; none at the end.
    func some() async throws -> [UInt8] { try await perform { try $0.some() } }

    func bytes(_ count: Int) async throws -> [UInt8] { try await perform { try $0.bytes(count) } }

    /// Everything up to the end that the server makes.
    func rest() async throws -> [UInt8] { try await perform { try $0.rest() } }

    private func perform<Result: Sendable>(
        _ job: @escaping @Sendable (inout Wire) throws -> Result
    ) async throws -> Result {
        if let memory = wire.withLock({ $0.memory }) { return try await perform(on: memory, job) }
        return try await Promise.value { done in
            queue.async { [self] in done(Swift.Result { try wire.withLock { try job(&$0) } }) }
        }.get()
    }

    private func perform<Result: Sendable>(
        on memory: MemoryConnection, _ job: @Sendable (inout Wire) throws -> Result
    ) async throws -> Result {
        while true {
            if let result = try wire.withLock({ try $0.attempt(job) }) { return result }
            try await memory.news()
        }
    }
}
