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
