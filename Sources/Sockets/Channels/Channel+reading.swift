import Platform

extension Channel {
    /// Stops delivering input until ``resumeReading()``. Input stays in the system's buffer, so flow control slows the
    /// peer down. Makes no system call unless bytes arrive in the meantime.
    package func pauseReading() {
        isPaused = true
    }

    /// Resumes reading. Unconsumed bytes are delivered again, at the latest at the end of this turn.
    package func resumeReading() {
        guard state == .open else { return }
        isPaused = false
        if isDelivering {
            redeliver = true
        } else if !unconsumed.isEmpty {
            loop.atEndOfTurn { [self] in deliverUnconsumed() }
        }
        if !inputEnded { setInterest(interest.union(.readable)) }
    }

    /// Drops the bytes that were delivered and not consumed.
    package func dropInput() { unconsumed = [] }

    /// Whether bytes have arrived that were not read yet. Makes a system call.
    package var hasUnreadInput: Bool {
        guard carrier == nil, state == .open, !inputEnded else { return false }
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
    }

    /// Handles readable input or a failure.
    func input(_ readiness: Readiness) {
        guard state != .closed else { return }
        if state == .lingering {
            discardInput()
        } else if interest.contains(.readable) && !isPaused && state == .open {
            receive()
        } else if readiness.contains(.failed) {
            fail(SystemSocket.pendingError(descriptor))
        } else {
            setInterest(interest.subtracting(.readable))
        }
    }

    /// Reads once, into the loop's buffer: behind the unconsumed bytes if they leave room.
    private func receive() {
        let (buffer, unconsumed) = (loop.readBuffer, unconsumed)
        guard unconsumed.count < max(maxUnconsumedBytes, buffer.count) else {
            return setInterest(interest.subtracting(.readable))
        }
        let start = unconsumed.count < buffer.count ? unconsumed.count : 0
        let count = read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[start...]))
        switch count {
        case 1... where start < unconsumed.count:
            let bytes = unconsumed + UnsafeRawBufferPointer(rebasing: buffer[..<count])
            bytes.withUnsafeBytes(deliver)
        case 1...:
            buffer.copyBytes(from: unconsumed)
            deliver(UnsafeRawBufferPointer(rebasing: buffer[..<(start + count)]))
        case 0:
            // Bytes that were to be delivered at the end of this turn come first. If the delegate pauses reading again,
            // the end is read later.
            deliverUnconsumed()
            guard state == .open, !isPaused else { return }
            inputEnded = true
            setInterest(interest.subtracting(.readable))
            corked { delegate?.channelReachedEndOfInput(self) }
        default:
            if errno != EAGAIN { fail(errno) }
        }
    }

    private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count >= 0 || errno != EINTR { return count }
        }
    }

    func deliverUnconsumed() {
        guard state == .open, !isPaused, !unconsumed.isEmpty else { return }
        let bytes = unconsumed
        bytes.withUnsafeBytes(deliver)
    }

    /// Delivers bytes, and stores what the delegate does not consume. Its writes are sent in one system call, a little later
    /// with those of other channels.
    func deliver(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        cork()
        isDelivering = true
        repeat {
            redeliver = false
            let used = delegate?.channel(self, received: UnsafeRawBufferPointer(rebasing: rest)) ?? 0
            rest = rest.dropFirst(max(used, 0))
        } while redeliver && !rest.isEmpty && !isPaused && state == .open
        isDelivering = false
        unconsumed = state == .open ? Array(rest) : []
        if output.isEmpty || carrier != nil { uncork() } else { loop.uncorkLater(self) }
    }

    /// Reads and discards input within the limits of ``lingering``, so that the peer can read the response.
    private func discardInput() {
        let count = read(into: loop.readBuffer)
        let left = (lingering?.limits.bytes ?? 0) - max(count, 0)
        lingering?.limits.bytes = left
        if count == 0 || left <= 0 || (count < 0 && errno != EAGAIN) { close(.requested) }
    }
}
