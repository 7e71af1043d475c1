import Platform

/// A connected stream socket. It must be used on its event loop only.
///
/// The loop retains an open channel, and the channel retains its delegate until it is closed. An idle channel has no
/// buffer. Connection errors are reported by `channelClosed`, never by a call to the channel.
package final class Channel: ReadinessHandler {
    enum State: UInt8 {
        /// Reads and writes.
        case open
        /// Sends pending output, then ends. The delegate gets only `channelDrained` and `channelClosed`.
        case flushing
        /// Has sent all output, and reads and discards input.
        case lingering
        case closed
    }

    package let loop: any EventLoop
    // Stored internally behind package accessors: for a stored property that other modules can set, the compiler adds a
    // dynamic exclusivity check to every access.
    var delegateStorage: (any ChannelDelegate)?
    var unconsumedLimit = 0
    /// Bytes that were delivered and that the delegate has not consumed.
    // Accesses to this and to the output cannot overlap, because nothing else is called during one.
    @exclusivity(unchecked) var unconsumed: [UInt8] = []
    @exclusivity(unchecked) var output = OutputQueue()
    /// When the system last accepted bytes, or when the first of the pending ones began to wait.
    var lastTakenAt = MonotonicInstant(nanoseconds: 0)
    var budgetStorage: OutputBudget?
    /// The memory of the pending bytes, as the budget has counted it.
    var countedBytes = 0
    /// How it reads behind its last output; nil before it closes, and if it does not.
    var lingering: Lingering?
    /// Has the place of the socket; nil if there is one.
    let carrier: (any ChannelCarrier)?
    // The small properties share a few words.
    /// The descriptor of the socket, or the number that the carrier gave.
    package let descriptor: Int32
    var corks: Int32 = 0
    var state = State.open
    /// The interest that is registered with the loop.
    var interest: Interest = .readable
    var isPaused = false
    var inputEnded = false
    /// Whether the delegate's `channel(_:received:)` is being called.
    var isDelivering = false
    /// Reading was resumed during `channel(_:received:)`: deliver the unconsumed bytes again.
    var redeliver = false
    /// Whether the budget counts the pending bytes as bytes of a stream too.
    var isStream = false

    /// Takes over a connected, non-blocking socket and starts reading. On the loop only.
    /// - Parameter descriptor: the channel owns it from now on, even if this throws.
    package init(
        owning descriptor: Int32, on loop: any EventLoop, delegate: (any ChannelDelegate)? = nil
    ) throws(SocketError) {
        self.descriptor = descriptor
        self.loop = loop
        carrier = nil
        delegateStorage = delegate
        do {
            try loop.watch(descriptor, .readable, self)
        } catch {
            state = .closed
            SystemSocket.close(descriptor)
            throw error
        }
    }

    /// A channel without a socket. On the loop only.
    package init(number: Int32, of carrier: any ChannelCarrier, on loop: any EventLoop) {
        descriptor = number
        self.loop = loop
        self.carrier = carrier
    }

    /// Without a delegate, received bytes stay unconsumed until a delegate is set and reading is resumed.
    package var delegate: (any ChannelDelegate)? {
        get { delegateStorage }
        set { delegateStorage = newValue }
    }

    /// Reading stops at this many unconsumed bytes. The size of the loop's buffer is the minimum.
    package var maxUnconsumedBytes: Int {
        get { unconsumedLimit }
        set { unconsumedLimit = newValue }
    }

    /// Counts the pending bytes, together with those of other channels. Set it before the first write.
    package var budget: OutputBudget? {
        get { budgetStorage }
        set { budgetStorage = newValue }
    }

    /// Whether bytes can still be written.
    package var isOpen: Bool { state == .open }

    /// The number of written bytes that the system has not accepted yet.
    package var pendingBytes: Int { output.byteCount }

    /// The bytes of memory that they hold: an array counts as a whole until its last byte is sent.
    package var heldBytes: Int { output.heldBytes }

    /// For how long the system has accepted none of the pending bytes; zero if none are pending.
    package var stalledTime: Duration {
        output.isEmpty || !interest.contains(.writable) ? .zero : lastTakenAt.duration(to: loop.now)
    }

    package func ready(_ descriptor: Int32, _ readiness: Readiness) {
        if readiness.contains(.writable) { flush() }
        if !readiness.isDisjoint(with: [.readable, .failed]) { input(readiness) }
    }

    package func loopStopped(_ descriptor: Int32) {
        close(.loopStopped)
    }

    func setInterest(_ new: Interest) {
        guard new != interest, state != .closed, carrier == nil else { return }
        interest = new
        loop.update(descriptor, new)
    }
}

/// Receives a channel's events. All calls are made on the channel's loop, and never from within a call to the channel.
package protocol ChannelDelegate: AnyObject {
    /// Bytes have arrived. They are valid during the call.
    /// - Returns: how many of them are consumed. The channel delivers the others again with the next bytes, or after
    ///   ``Channel/resumeReading()``.
    func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) -> Int

    /// The peer has ended its output, and may still read. Called once, after all bytes.
    func channelReachedEndOfInput(_ channel: Channel)

    /// The output that a `write` left pending has been sent.
    func channelDrained(_ channel: Channel)

    /// The channel is closed. Called exactly once, as the last call.
    func channelClosed(_ channel: Channel, reason: CloseReason)
}

/// Why a channel is closed.
package enum CloseReason: Sendable, Hashable {
    /// The owner closed the channel.
    case requested
    /// The peer reset the connection.
    case reset
    /// A system call failed; `code` is its `errno`.
    case failed(code: Int32)
    /// The loop was stopped.
    case loopStopped
}

/// How long a closing channel reads and discards input after its last byte of output.
///
/// Closing a socket with unread input makes the system reset the connection, and the reset may overtake the response.
package struct Linger: Sendable, Hashable {
    /// The limit of discarded bytes.
    package var bytes: Int
    /// The time limit, from the last byte sent.
    package var time: Duration
    /// Whether to close as soon as the peer's system has all bytes. For a peer that is not expected to send more.
    package var endsWhenTaken: Bool

    package init(bytes: Int = 8 << 20, time: Duration = .seconds(5), endsWhenTaken: Bool = false) {
        self.bytes = bytes
        self.time = time
        self.endsWhenTaken = endsWhenTaken
    }

    /// The time between two checks of ``endsWhenTaken``.
    static let interval = Duration.milliseconds(10)
}

/// The state that a channel needs only while it closes.
final class Lingering {
    /// The limits. Each discarded byte makes the limit of bytes smaller.
    var limits: Linger
    var timer: LoopTimer?

    init(_ limits: Linger) { self.limits = limits }
}
