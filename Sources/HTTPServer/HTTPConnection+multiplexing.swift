import HTTP
import Locks
import Sockets

/// Asks another server to take many channels on a connection, with the mechanism of RFC 9110, section 7.8.
///
/// The request that asks is answered on the first channel. A server that does not know the protocol ignores the fields.
package enum ChannelUpgrade {
    private static let fields = Array("Connection: Upgrade\r\nUpgrade: storehouse-channels\r\n".utf8)

    /// What a server that agrees sends before its frames.
    package static let agreement = Array(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: storehouse-channels\r\n\r\n".utf8)

    /// Adds the fields that ask for channels to a request.
    package static func asking(in request: [UInt8]) -> [UInt8] { adding(fields, to: request) }

    /// Adds lines to a request, behind its first field, which has to stay the first.
    package static func adding(_ fields: [UInt8], to request: [UInt8]) -> [UInt8] {
        var (lines, position) = (0, 0)
        while lines < 2, position < request.count {
            if request[position] == UInt8(ascii: "\n") { lines += 1 }
            position += 1
        }
        return request[..<position] + fields + request[position...]
    }

    static func isAsked(in head: RequestHead) -> Bool {
        head.version == .http11 && head.fields.hasOne("upgrade", is: "storehouse-channels")
    }
}

extension HTTPConnection {
    /// Takes channels from the other server from now on.
    ///
    /// - Parameter request: the request that asks for them. It is answered on the first one.
    func startMultiplexing(_ head: RequestHead, _ request: UnsafeRawBufferPointer) {
        guard let channel else { return }
        let channels = MultiplexedConnections(on: self)
        _ = machine.receivedRequest(ResponseEncoder(answering: head))
        _ = machine.startStream()
        stopTimer()
        stream = channels
        write(ChannelUpgrade.agreement, to: channel)
        channels.receiveFirst(request)
    }

    /// Sends frames, together with others of this turn.
    fileprivate func sendSoon(_ frame: [UInt8]) {
        guard let channel else { return }
        count(frame)
        channel.writeSoon(frame)
        checkStream()
    }
}

/// The connections that another server has on one socket. Each of them is like one with its own socket. On their loop only.
final class MultiplexedConnections: StreamHandler {
    /// How long the other server has to close the socket while this one drains. Only the other server opens channels, so only it
    /// knows whether it needs another one.
    private static let closeTime = Duration.seconds(1)

    private let context: ConnectionManager
    private let address: IPAddress
    private let link: AnyObject?
    private weak var connection: HTTPConnection?
    private lazy var multiplexer = makeMultiplexer()
    private var timer: LoopTimer?

    init(on connection: HTTPConnection) {
        context = connection.context
        address = connection.address
        link = connection.link
        self.connection = connection
    }

    private func makeMultiplexer() -> ChannelMultiplexer {
        ChannelMultiplexer(
            on: context.loop, write: { [weak self] in self?.connection?.sendSoon($0) },
            emptied: { [weak self] in self?.awaitClose() },
            accept: { [weak self, context, address, link] channel in
                self?.stopAwaitingClose()
                let connection = HTTPConnection(context, peer: address)
                connection.isMultiplexed = true
                if let link { connection.startLink(link) }
                channel.delegate = connection
                connection.start(on: channel)
                context.contents.value.insert(connection)
            })
    }

    func receiveFirst(_ request: UnsafeRawBufferPointer) { multiplexer.receiveFirst(request) }

    func streamReceived(_ bytes: UnsafeRawBufferPointer) {
        if !multiplexer.receive(bytes) { connection?.closeNow() }
    }

    func streamDrained() {}

    func streamClosed() {
        stopAwaitingClose()
        multiplexer.connectionClosed()
    }

    func streamShouldEnd(among streamCount: Int) {
        if multiplexer.isEmpty { awaitClose() }
    }

    /// The other server closes the socket when it has no channel left. It is closed here if that server is gone.
    private func awaitClose() {
        stopAwaitingClose()
        let time = context.isDraining ? Self.closeTime : context.settings.idleTimeout
        timer = context.loop.schedule(after: time) { [self] in
            timer = nil
            connection?.closeNow()
        }
    }

    private func stopAwaitingClose() {
        if let timer { context.loop.cancel(timer) }
        timer = nil
    }
}
