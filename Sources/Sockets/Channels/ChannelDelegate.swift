/// What a connection does with its channel's news. All calls come on the channel's loop, one after the other, and
/// never from within a call to the channel.
package protocol ChannelDelegate: AnyObject {
    /// Bytes have come. They are valid during the call.
    /// - Returns: how many of them are done with. The rest stays with the channel, and comes again with the next
    ///   bytes, or after ``Channel/resumeReading()``.
    func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) -> Int

    /// The peer sends no more; it may still read. Comes once, after all bytes.
    func channelReachedEndOfInput(_ channel: Channel)

    /// Nothing is pending any more of what a `write` had to leave pending.
    func channelDrained(_ channel: Channel)

    /// The channel is closed. The last call, exactly once.
    func channelClosed(_ channel: Channel, reason: CloseReason)
}
