import Sockets

/// A delegate made of closures.
final class ScriptedDelegate: ChannelDelegate {
    var onReceived: (Channel, UnsafeRawBufferPointer) -> Int = { $1.count }
    var onEndOfInput: (Channel) -> Void = { _ in }
    var onDrained: (Channel) -> Void = { _ in }
    var onClosed: (CloseReason) -> Void = { _ in }

    func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) -> Int {
        onReceived(channel, bytes)
    }

    func channelReachedEndOfInput(_ channel: Channel) {
        onEndOfInput(channel)
    }

    func channelDrained(_ channel: Channel) {
        onDrained(channel)
    }

    func channelClosed(_ channel: Channel, reason: CloseReason) {
        onClosed(reason)
    }
}
