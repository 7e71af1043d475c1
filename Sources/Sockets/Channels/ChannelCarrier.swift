package import Platform

/// Takes the place of the socket of a channel, whose bytes it brings and takes. On the channel's loop only.
package protocol ChannelCarrier: AnyObject {
    /// Takes what the channel sends.
    ///
    /// - Returns: how many bytes were taken, which is all of them.
    func send(_ parts: UnsafeMutableBufferPointer<iovec>, on channel: Channel) -> Int

    /// The channel is closed, and sends nothing more.
    func closed(_ channel: Channel)
}

extension Channel {
    /// Delivers bytes that a carrier brings. They are valid during the call.
    package func receive(_ bytes: UnsafeRawBufferPointer) {
        guard isOpen else { return }
        guard isPaused || !unconsumed.isEmpty else { return deliver(bytes) }
        guard unconsumed.count + bytes.count <= maxUnconsumedBytes else { return close(.reset) }
        unconsumed += bytes
        deliverUnconsumed()
    }

    /// The other end is gone, as its carrier says.
    package func disconnect() { close(.reset) }
}
