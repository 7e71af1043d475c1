import Dispatch
import FaultyServices
import Locks
import Platform

/// Just enough of HTTP/2 (RFC 9113) to see calls share a connection: it answers once so many requests are there.
final class HTTP2Server: Sendable {
    private let server: TLSServer
    private let ended = DispatchGroup()

    var url: String { server.url }

    /// - Parameter crowd: how many requests it waits for before it answers them all.
    init(_ certificates: Certificates, crowd: Int) async throws {
        let server = try await TLSServer(certificates, "server", "-alpn", "h2")
        self.server = server
        ended.enter()
        let ended = ended
        DispatchQueue(label: "HTTP/2").async {
            Self.serve(server.channel, crowd)
            ended.leave()
        }
    }

    /// Ends the connection, and waits for the thread.
    func stop() async {
        shutdown(server.channel, Int32(SHUT_RDWR))
        await withCheckedContinuation { continuation in
            ended.notify(queue: DispatchQueue(label: "HTTP/2 end")) { continuation.resume() }
        }
    }

    private static func serve(_ channel: Int32, _ crowd: Int) {
        var input: [UInt8] = []
        var streams: [[UInt8]] = []
        guard skip(to: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", &input, channel) else { return }
        // Our settings, all at their defaults.
        send(channel, type: 4, flags: 0, stream: [0, 0, 0, 0], [])
        while let frame = nextFrame(&input, channel) {
            // The client's settings are acknowledged; a request has no body, so its header section is all.
            if frame.type == 4, frame.flags & 1 == 0 { send(channel, type: 4, flags: 1, stream: frame.stream, []) }
            if frame.type == 1 { streams.append(frame.stream) }
            guard streams.count == crowd else { continue }
            for stream in streams {
                // `:status: 200` is 8 in the static table, `content-type` 31; the value is literal.
                let type = Array("application/json".utf8)
                send(channel, type: 1, flags: 4, stream: stream, [0x88, 0x0f, 0x10, UInt8(type.count)] + type)
                send(channel, type: 0, flags: 1, stream: stream, Array(#"{"animal":"Cat"}"#.utf8))
            }
            streams = []
        }
    }

    private static func nextFrame(
        _ input: inout [UInt8], _ channel: Int32
    ) -> (type: UInt8, flags: UInt8, stream: [UInt8])? {
        guard fill(&input, 9, channel) else { return nil }
        let length = input[..<3].reduce(0) { $0 << 8 | Int($1) }
        guard fill(&input, 9 + length, channel) else { return nil }
        defer { input.removeFirst(9 + length) }
        return (input[3], input[4], Array(input[5..<9]))
    }

    private static func skip(to text: String, _ input: inout [UInt8], _ channel: Int32) -> Bool {
        let wanted = Array(text.utf8)
        while true {
            // openssl says something about the connection before.
            if let place = input.indices.first(where: { input[$0...].starts(with: wanted) }) {
                input.removeFirst(place + wanted.count)
                return true
            }
            guard fill(&input, input.count + 1, channel) else { return false }
        }
    }

    /// Reads until there are so many bytes.
    private static func fill(_ input: inout [UInt8], _ count: Int, _ channel: Int32) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while input.count < count {
            let got = recv(channel, &buffer, buffer.count, 0)
            guard got > 0 else { return false }
            input += buffer.prefix(got)
        }
        return true
    }

    private static func send(_ channel: Int32, type: UInt8, flags: UInt8, stream: [UInt8], _ payload: [UInt8]) {
        _ = TestSocket.send(channel, [0, 0, UInt8(payload.count), type, flags] + stream + payload)
    }
}
