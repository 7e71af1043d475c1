import Cluster
import FaultyServices
import HTTP
import StorehouseServer

/// The end of a connection between nodes at a node that a test plays, which gets requests. Tests read and write HTTP.
final class PlayedLink: FaultyWire {
    private enum State {
        case greeting
        case greeted(LinkAnswerer)
        case open(AnsweredLink)
    }

    private struct Body {
        let head: String
        let length: Int
        var bytes: [UInt8] = []
    }

    private let identity: NodeIdentity
    private var state = State.greeting
    private var input: [UInt8] = []
    private var reader = LinkFrameReader()
    private var streams = LinkStreams(opens: false)
    private var bodies: [UInt32: Body] = [:]
    private var targets: [UInt32: String] = [:]
    /// The requests whose answers have begun.
    private var answered: Set<Int> = []
    private(set) var isOver = false
    private(set) var cancelled: [String] = []

    init(at port: UInt16, secret: String = TestCluster.secret) {
        identity = NodeIdentity(name: "127.0.0.1:\(port)", secret: Array(secret.utf8))
    }

    func receive(_ bytes: [UInt8]) -> (requests: [FaultyRequest], reply: [UInt8]) {
        guard case .greeting = state else { return frames(bytes) }
        input += bytes
        guard input.suffix(4) == Array("\r\n\r\n".utf8)[...] else { return ([], []) }
        guard let answerer = try? identity.answer(Self.hello(in: String(decoding: input, as: UTF8.self))) else {
            isOver = true
            return ([], Array(Answer.status(421).utf8))
        }
        state = .greeted(answerer)
        return ([], Array(Self.agreement(answerer.answer).utf8))
    }

    /// The hello in the request that begins a connection.
    static func hello(in head: String) -> String {
        let prefix = "\(LinkGreeting.field): "
        let line = head.split(separator: "\r\n").first { $0.hasPrefix(prefix) }
        return line.map { String($0.dropFirst(prefix.count)) } ?? ""
    }

    static func agreement(_ answer: String) -> String {
        "HTTP/1.1 101 Switching Protocols\r\n\(LinkGreeting.field): \(answer)\r\n\r\n"
    }

    private func frames(_ bytes: [UInt8]) -> (requests: [FaultyRequest], reply: [UInt8]) {
        var (requests, reply): ([FaultyRequest], [UInt8]) = ([], [])
        var reader = self.reader
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(LinkVersion.Failure) in
                try reader.read(bytes) { frame throws(LinkVersion.Failure) in
                    try receive(frame, &requests, &reply)
                    return true
                }
            }
        }
        self.reader = reader
        if case .failure = result { isOver = true }
        return (requests, reply)
    }

    private func receive(
        _ frame: LinkFrame, _ requests: inout [FaultyRequest], _ reply: inout [UInt8]
    ) throws(LinkVersion.Failure) {
        if case .greeted(let answerer) = state {
            guard case .proof(let proof) = frame else { throw .malformed }
            state = .open(try answerer.receive(String(decoding: proof, as: UTF8.self)))
            return
        }
        switch try streams.receive(frame) {
        case .started(let number, let head, let length, let piece):
            guard let message = ReceivedMessage(head) else { throw .malformed }
            bodies[number] = Body(head: Self.text(message), length: length ?? 0)
            targets[number] = message.head.target
            add(piece, to: number, &requests)
        case .piece(let number, let piece):
            reply += streams.take(number, piece.count)
            add(piece, to: number, &requests)
        case .cancelled(let number):
            cancelled.append(targets[number] ?? "")
        case .answerPing: reply += LinkStreams.pong
        default: break
        }
    }

    private func add(_ piece: UnsafeRawBufferPointer, to number: UInt32, _ requests: inout [FaultyRequest]) {
        bodies[number]?.bytes += piece
        guard let request = bodies[number], request.bytes.count == request.length else { return }
        bodies[number] = nil
        let body = String(decoding: request.bytes, as: UTF8.self)
        requests.append(FaultyRequest(head: request.head, body: body, number: Int(number)))
    }

    /// A request as HTTP.
    private static func text(_ message: ReceivedMessage) -> String {
        var lines = ["\(message.head.method) \(message.head.target) HTTP/1.1", "Storehouse-Client: \(message.client)"]
        lines.append("X-Request-Id: \(message.requestID)")
        if let claim = message.claim { lines.append("Storehouse-Right: \(claim.right)") }
        return (lines + message.head.fields.map { "\($0.name): \($0.value)" }).joined(separator: "\r\n")
    }

    func bytes(of answer: [UInt8], to number: Int) -> [UInt8] {
        let stream = UInt32(number)
        if answered.contains(number) { return Self.pieces(answer[...], of: stream) }
        let text = String(decoding: answer, as: UTF8.self)
        guard text.hasPrefix("HTTP/1.1 "), let end = text.firstRange(of: "\r\n\r\n"),
            let status = HTTPStatus(rawValue: Int(text.dropFirst(9).prefix(3)) ?? 0)
        else { return answer }
        answered.insert(number)
        var (length, fields): (Int?, [Response.Field]) = (nil, [])
        for line in text[..<end.lowerBound].split(separator: "\r\n").dropFirst() {
            let parts = line.split(separator: ": ", maxSplits: 1).map(String.init)
            if parts[0].lowercased() == "content-length" {
                length = Int(parts[1])
            } else {
                fields.append(.init(parts[0], parts[1]))
            }
        }
        let body = answer[text[..<end.upperBound].utf8.count...]
        let head = Response(status, fields: fields).forwardedHead
        guard let length else {
            return LinkFrame.start(stream, head, bodyLength: nil, []) + Self.pieces(body, of: stream)
        }
        // The stream is over, so that its place can be used again.
        if body.count >= length { _ = streams.cancel(stream) }
        return LinkFrame.start(stream, head, bodyLength: length, body.prefix(length))
    }

    private static func pieces(_ bytes: ArraySlice<UInt8>, of stream: UInt32) -> [UInt8] {
        var (rest, frames): (ArraySlice<UInt8>, [UInt8]) = (bytes, [])
        while !rest.isEmpty {
            frames += LinkFrame.piece(stream, rest.prefix(LinkFrame.maxPieceBytes))
            rest = rest.dropFirst(LinkFrame.maxPieceBytes)
        }
        return frames
    }
}
