import Cluster
import HTTP
import Locks
import StorehouseServer
import Testing

/// A connection to a node, of another node that a test plays and where nothing listens.
final class PlayedNode: Sendable {
    static let name = "127.0.0.1:2"

    private struct Received {
        var response: TestResponse
        /// Nil for a stream.
        let length: Int?
        var hasEnded = false

        var isComplete: Bool { hasEnded || response.body.count == length }
    }

    private struct State {
        var link: CalledLink
        var streams = LinkStreams(opens: true)
        var reader = LinkFrameReader()
        /// The responses as far as they have come, by the numbers of their requests.
        var responses: [UInt32: Received] = [:]
        var isLeaving = false
        /// The streams of each frame that came for several of them.
        var shared: [[UInt32]] = []
        /// The streams of which nothing is taken, and how much has come.
        var untaken: [UInt32: Int] = [:]
    }

    let client: TestClient
    // Guards what has come. Nothing is called while it is held.
    private let state: Locked<State>

    /// Connects, and proves itself.
    ///
    /// - Parameter port: where other nodes look for the node; nil for its own.
    init(at server: LiveServer, reachedAt port: Int? = nil, secret: String = TestCluster.secret) async throws {
        client = try server.client()
        let caller = try Self.caller(to: port ?? server.port, secret: secret)
        try await client.send(Self.hello(caller.hello).bytes)
        let response = try await client.head()
        try #require(response.status == 101, "\(response)")
        let (link, proof) = try caller.receive(try #require(response["storehouse-link"]))
        state = Locked(State(link: link))
        try await client.send(LinkFrame.proof(proof))
    }

    static func caller(to port: Int, secret: String = TestCluster.secret) throws -> LinkCaller {
        try NodeIdentity(name: name, secret: Array(secret.utf8)).call("127.0.0.1:\(port)")
    }

    static func hello(_ text: String) -> TestRequest {
        TestRequest(
            "OPTIONS", "*", [("Connection", "Upgrade"), ("Upgrade", LinkGreeting.name), (LinkGreeting.field, text)])
    }

    func get(_ path: String, _ fields: [(String, String)] = []) async throws -> TestResponse {
        try await exchange(TestRequest("GET", path, fields))
    }

    func exchange(_ request: TestRequest, right: String = "") async throws -> TestResponse {
        try await response(to: try await send(request, right: right))
    }

    /// The right of an operator for one request on this connection.
    func right(_ method: String, _ path: String) throws -> String {
        let signed = try #require(try message(of: TestRequest(method, path), isByOperator: true).signed)
        return try #require(state.withLock { $0.link.right(for: signed) })
    }

    /// - Parameter takes: whether it takes what comes of the response.
    /// - Returns: the number of the request.
    func send(_ request: TestRequest, right: String = "", takes: Bool = true) async throws -> UInt32 {
        let (number, bytes) = try frame(request, right: right)
        if !takes { stopTaking(number) }
        try await client.send(bytes)
        return number
    }

    /// Sends only the beginning of a request whose body has so many bytes.
    ///
    /// - Returns: the number of the request.
    func begin(_ request: TestRequest, of length: Int) async throws -> UInt32 {
        let number = try frame(request).number
        let head = try message(of: request).head(with: "")
        try await client.send(LinkFrame.start(number, head, bodyLength: length, (request.body ?? [])[...]))
        return number
    }

    /// The frames of a request.
    func frame(_ request: TestRequest, right: String = "") throws -> (number: UInt32, bytes: [UInt8]) {
        let message = try message(of: request)
        return state.withLock { $0.streams.open(message.head(with: right), message.body) }
    }

    private func message(of request: TestRequest, isByOperator: Bool = false) throws -> LinkedMessage {
        var parser = RequestParser(limits: HTTPLimits(maxBodyBytes: 1 << 30))
        let address = try #require(IPAddress("10.0.0.1"))
        guard case .head(let head, _) = request.bytes.withUnsafeBytes({ parser.parse($0) }) else {
            throw Wire.Failure.malformed(request.path)
        }
        return LinkedMessage(head, request.body ?? [], requestID: "1", from: address, isByOperator: isByOperator)
    }

    func response(to number: UInt32) async throws -> TestResponse {
        while true {
            let known = state.withLock { $0.responses[number] }
            if let known, known.isComplete { return known.response }
            try await receive()
        }
    }

    /// The text of a stream so far, once that fulfils a condition.
    @discardableResult
    func stream(_ number: UInt32, until condition: (String) -> Bool) async throws -> String {
        while true {
            if let text = state.withLock({ $0.responses[number]?.response.text }), condition(text) { return text }
            try await receive()
        }
    }

    /// Waits until the node says that it takes no more requests.
    func left() async throws {
        while !state.withLock({ $0.isLeaving }) { try await receive() }
    }

    /// The streams of each frame that came for several of them.
    var shared: [[UInt32]] { state.withLock { $0.shared } }

    func cancel(_ number: UInt32) async throws { try await client.send(state.withLock { $0.streams.cancel(number) }) }

    /// Takes nothing more of a stream, as for a slow client.
    func stopTaking(_ number: UInt32) { state.withLock { $0.untaken[number] = 0 } }

    /// Takes all that has come of it, and what comes from now on.
    func takeAll(_ number: UInt32) async throws {
        let bytes = state.withLock { state in
            state.streams.take(number, state.untaken.removeValue(forKey: number) ?? 0)
        }
        try await client.send(bytes)
    }

    private func receive() async throws {
        let bytes = try await client.some()
        if bytes.isEmpty { throw Wire.Failure.ended }
        let reply = try state.withLock { state in try Self.receive(bytes, &state) }
        if !reply.isEmpty { try await client.send(reply) }
    }

    private static func receive(_ bytes: [UInt8], _ state: inout State) throws -> [UInt8] {
        var (reply, reader): ([UInt8], LinkFrameReader) = ([], state.reader)
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(LinkVersion.Failure) in
                try reader.read(bytes) { frame throws(LinkVersion.Failure) in
                    try take(try state.streams.receive(frame), &state, &reply)
                    return true
                }
            }
        }
        try result.get()
        state.reader = reader
        return reply
    }

    private static func take(
        _ event: LinkStreams.Event, _ state: inout State, _ reply: inout [UInt8]
    ) throws(LinkVersion.Failure) {
        switch event {
        case .started(let number, let head, let length, let piece):
            guard let response = Response(forwardedHead: head) else { throw .malformed }
            var test = TestResponse(status: response.status.rawValue)
            test.fields = response.fields.map { ($0.name.lowercased(), $0.value) } + [("x-request-id", "1")]
            state.responses[number] = Received(response: test, length: length)
            add(piece, to: number, &state, &reply)
        case .piece(let number, let piece): add(piece, to: number, &state, &reply)
        case .sharedPiece(let numbers, let piece):
            state.shared.append(Array(numbers))
            for number in numbers { add(piece, to: number, &state, &reply) }
        case .ended(let number), .cancelled(let number): state.responses[number]?.hasEnded = true
        case .leave: state.isLeaving = true
        case .answerPing: reply += LinkStreams.pong
        case .writable(_, let bytes, _): reply += bytes
        case .none: break
        }
    }

    private static func add(
        _ piece: UnsafeRawBufferPointer, to number: UInt32, _ state: inout State, _ reply: inout [UInt8]
    ) {
        state.responses[number]?.response.body += piece
        if state.untaken[number] != nil {
            state.untaken[number, default: 0] += piece.count
        } else {
            reply += state.streams.take(number, piece.count)
        }
    }
}
