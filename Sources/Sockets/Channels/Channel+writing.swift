import Platform

extension Channel {
    /// Sends bytes, at once if the system takes them; what it does not take stays pending, shared and not copied.
    ///
    /// Within a delegate's call, and between ``cork()`` and ``uncork()``, bytes are collected and leave in one system
    /// call. After a close they are dropped.
    package func write(_ bytes: [UInt8]) {
        guard state == .open, !bytes.isEmpty else { return }
        output.append(bytes)
        if corks == 0 && !interest.contains(.writable) { _ = send() }
    }

    /// Collects what is written from here on. Corks nest.
    package func cork() {
        corks += 1
    }

    /// Sends what was collected, when the last cork is gone.
    package func uncork() {
        precondition(corks > 0, "a channel was uncorked more often than corked")
        corks -= 1
        if corks == 0 && !interest.contains(.writable) { flush() }
    }

    func corked(_ body: () -> Void) {
        cork()
        body()
        uncork()
    }

    /// Sends what is pending, and tells when nothing is left of it.
    func flush() {
        let wasEmpty = output.isEmpty
        guard state == .open || state == .flushing, send() else { return }
        if state == .flushing {
            finish()
        } else if !wasEmpty {
            // Not corked: a delegate that goes on writing sees at once how much the system takes.
            delegate?.channelDrained(self)
        }
    }

    /// Sends until all is sent or the system takes no more.
    /// - Returns: whether all is sent.
    private func send() -> Bool {
        while !output.isEmpty {
            let (count, whole) = sendOnce()
            if count > 0 { output.consume(count) }
            if count < 0 && errno == EINTR { continue }
            if count < 0 && errno != EAGAIN {
                fail(errno)
                return false
            }
            if !whole {
                setInterest(interest.union(.writable))
                return false
            }
        }
        setInterest(interest.subtracting(.writable))
        return true
    }

    /// - Returns: what the system answered, and whether it took all it was offered.
    private func sendOnce() -> (count: Int, whole: Bool) {
        // Shared for the call, so that the channel's own queue is in nobody's hands meanwhile.
        let waiting = output
        return waiting.withParts { parts in
            if parts.count == 1 {
                let count = SystemSocket.sendOne(descriptor, parts[0])
                return (count, count == parts[0].iov_len)
            }
            var message = msghdr()
            message.msg_iov = parts.baseAddress
            message.msg_iovlen = numericCast(parts.count)
            let count = sendmsg(descriptor, &message, SystemSocket.sendFlags)
            let offered = parts.reduce(0) { $0 + Int($1.iov_len) }
            return (count, count == offered)
        }
    }
}

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
