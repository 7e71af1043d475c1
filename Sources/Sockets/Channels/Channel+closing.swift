#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#endif

extension Channel {
    /// Closes at once; what is pending is lost. The delegate is told at the end of this turn.
    package func closeNow() {
        shut(.requested)
    }

    /// Closes when everything written is sent. Input is not told any more.
    ///
    /// A peer that does not read holds this up for as long as the owner lets it: ``closeNow()`` still works.
    /// - Parameter linger: how much of what the peer still sends is taken in, so that it can read the last answer.
    ///   nil closes at once after the last byte.
    package func closeAfterFlush(linger: Linger? = Linger()) {
        guard state == .open else { return }
        state = .flushing
        self.linger = linger
        kept = []
        setInterest(interest.subtracting(.readable))
        if output.isEmpty && corks == 0 { finish() }
    }

    /// All is sent: ends our side, and lingers if the peer still sends.
    func finish() {
        guard let linger, !inputEnded else { return shut(.requested) }
        state = .lingering
        SystemSocket.endOutput(descriptor)
        setInterest(.readable)
        lingerTimer = loop.schedule(after: linger.time) { [self] in
            lingerTimer = nil
            shut(.requested)
        }
    }

    /// The connection is of no use any more.
    func fail(_ code: Int32) {
        switch code {
        case 0, ECONNRESET, EPIPE: shut(.reset)
        default: shut(.failed(code: code))
        }
    }

    /// Gives everything back now, and tells the delegate when it is not in the middle of a call to us.
    func shut(_ reason: CloseReason) {
        guard state != .closed else { return }
        state = .closed
        if let lingerTimer { loop.cancel(lingerTimer) }
        lingerTimer = nil
        loop.unwatch(descriptor)
        SystemSocket.shut(descriptor)
        kept = []
        output.removeAll()
        loop.afterwards { [self] in
            let told = delegate
            delegate = nil
            told?.channelClosed(self, reason: reason)
        }
    }
}
