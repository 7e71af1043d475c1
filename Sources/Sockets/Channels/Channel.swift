/// A connected stream socket on its loop. Everything about it happens there, and only there.
///
/// An open channel is kept alive by its loop and keeps its delegate alive, until it is closed. An idle one holds no
/// buffer. Errors of the connection are told by `channelClosed`, never by a call to the channel.
package final class Channel: ReadinessHandler {
    enum State: UInt8 {
        /// Reads and writes.
        case open
        /// Sends what is pending, then ends; nothing more is told but `drained` and `closed`.
        case flushing
        /// Has sent all, and reads and drops what still comes.
        case lingering
        case closed
    }

    package let loop: any EventLoop
    package let descriptor: Int32
    // What other modules may set stands behind an accessor: of what they reach themselves, the compiler cannot tell that
    // nobody changes it while it is in use, and has that checked at every access.
    var told: (any ChannelDelegate)?
    var keptLimit = 0
    var state = State.open
    /// What the loop tells us at present.
    var interest: Interest = .readable
    var isPaused = false
    var inputEnded = false
    /// Within a call of `received`.
    var isDelivering = false
    /// Resumed within a call of `received`: what was left comes again.
    var comesAgain = false
    var corks: Int32 = 0
    /// Bytes that the delegate was given and has not done with.
    var kept: [UInt8] = []
    var output = OutputQueue()
    var linger: Linger?
    var lingerTimer: LoopTimer?

    /// Takes a connected, non-blocking socket over, and starts to read. On the loop only.
    /// - Parameter descriptor: the channel owns it from here on, also if this throws.
    package init(
        owning descriptor: Int32, on loop: any EventLoop, delegate: (any ChannelDelegate)? = nil
    ) throws(SocketError) {
        self.descriptor = descriptor
        self.loop = loop
        told = delegate
        do {
            try loop.watch(descriptor, .readable, self)
        } catch {
            state = .closed
            SystemSocket.shut(descriptor)
            throw error
        }
    }

    /// Whom to tell. Without one, bytes are kept until there is one and reading is resumed.
    package var delegate: (any ChannelDelegate)? {
        get { told }
        set { told = newValue }
    }

    /// How many bytes the delegate may leave before nothing more is read. Less than the loop's buffer counts as that.
    package var mostKept: Int {
        get { keptLimit }
        set { keptLimit = newValue }
    }

    /// Whether bytes may still be written.
    package var isOpen: Bool { state == .open }

    /// How many written bytes the system has not taken yet.
    package var pendingBytes: Int { output.byteCount }

    package func ready(_ descriptor: Int32, _ readiness: Readiness) {
        if readiness.contains(.writable) { flush() }
        if !readiness.isDisjoint(with: [.readable, .failed]) { input(readiness) }
    }

    package func loopStopped(_ descriptor: Int32) {
        shut(.loopStopped)
    }

    func setInterest(_ new: Interest) {
        guard new != interest, state != .closed else { return }
        interest = new
        loop.update(descriptor, new)
    }
}

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

/// Why a channel is closed.
package enum CloseReason: Sendable, Hashable {
    /// Its owner closed it.
    case requested
    /// The peer broke the connection off.
    case reset
    /// A system call failed with this `errno`.
    case failed(code: Int32)
    /// The loop was stopped.
    case loopStopped
}

/// How long a closing channel still takes in what the peer sends, after its own last byte.
///
/// Without it, bytes that nobody reads make the system reset the connection, and the reset may overtake the answer.
package struct Linger: Sendable, Hashable {
    /// How many bytes are read and dropped at most.
    package var bytes: Int
    /// For how long at most, counted from the last byte sent.
    package var time: Duration

    package init(bytes: Int = 8 << 20, time: Duration = .seconds(5)) {
        self.bytes = bytes
        self.time = time
    }
}
