import Sockets

/// The channels on one socket to another node. On its loop only.
final class PeerChannels {
    private let socket: Channel
    private let peer: Peer
    private lazy var multiplexer = ChannelMultiplexer(
        on: socket.loop, write: { [socket] in socket.writeSoon($0) }, emptied: { [weak self] in self?.emptied() })

    init(on socket: Channel, of peer: Peer) {
        self.socket = socket
        self.peer = peer
    }

    var isOpen: Bool { socket.isOpen }

    var count: Int { multiplexer.count }

    func open(_ delegate: any ChannelDelegate) -> Channel { multiplexer.open(delegate) }

    /// No request can be lost now, since only this end opens channels.
    private func emptied() {
        peer.retire(self)
        socket.closeNow()
    }
}

extension PeerChannels: ChannelDelegate {
    func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) -> Int {
        if !multiplexer.receive(bytes) { channel.closeNow() }
        return bytes.count
    }

    func channelReachedEndOfInput(_ channel: Channel) { channel.closeNow() }

    func channelDrained(_ channel: Channel) {}

    func channelClosed(_ channel: Channel, reason: CloseReason) {
        peer.retire(self)
        multiplexer.connectionClosed()
    }
}
