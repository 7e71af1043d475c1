import Platform

extension Channel {
    /// Tells the delegate nothing more until ``resumeReading()``; what comes stays with the system, whose window then
    /// holds the peer back. Costs nothing unless bytes come meanwhile.
    package func pauseReading() {
        isPaused = true
    }

    /// Reads again. Bytes that the delegate had left come again, at the latest at the end of this turn.
    package func resumeReading() {
        guard state == .open else { return }
        isPaused = false
        if isDelivering {
            comesAgain = true
        } else if !kept.isEmpty {
            loop.afterwards { [self] in deliverKept() }
        }
        if !inputEnded { setInterest(interest.union(.readable)) }
    }

    /// The loop found something to read, or a failure.
    func input(_ readiness: Readiness) {
        guard state != .closed else { return }
        if state == .lingering {
            drop()
        } else if interest.contains(.readable) && !isPaused && state == .open {
            receive()
        } else if readiness.contains(.failed) {
            fail(SystemSocket.pendingError(descriptor))
        } else {
            setInterest(interest.subtracting(.readable))
        }
    }

    /// One read, into the loop's buffer: behind what was kept, if that leaves room in it.
    private func receive() {
        let (buffer, kept) = (loop.readBuffer, kept)
        guard kept.count < max(mostKept, buffer.count) else { return setInterest(interest.subtracting(.readable)) }
        let start = kept.count < buffer.count ? kept.count : 0
        let count = read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[start...]))
        switch count {
        case 1... where start < kept.count:
            let bytes = kept + UnsafeRawBufferPointer(rebasing: buffer[..<count])
            bytes.withUnsafeBytes(deliver)
        case 1...:
            buffer.copyBytes(from: kept)
            deliver(UnsafeRawBufferPointer(rebasing: buffer[..<(start + count)]))
        case 0:
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

    private func deliverKept() {
        guard state == .open, !isPaused, !kept.isEmpty else { return }
        let bytes = kept
        bytes.withUnsafeBytes(deliver)
    }

    /// Lets the delegate have the bytes, and keeps what it leaves. What it writes meanwhile leaves in one call.
    private func deliver(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        cork()
        isDelivering = true
        repeat {
            comesAgain = false
            let used = delegate?.channel(self, received: UnsafeRawBufferPointer(rebasing: rest)) ?? 0
            rest = rest.dropFirst(max(used, 0))
        } while comesAgain && !rest.isEmpty && !isPaused && state == .open
        isDelivering = false
        kept = state == .open ? Array(rest) : []
        uncork()
    }

    /// Reads what nobody wants, within bounds, so that the peer can read our last words.
    private func drop() {
        let count = read(into: loop.readBuffer)
        let left = (linger?.bytes ?? 0) - max(count, 0)
        linger?.bytes = left
        if count == 0 || left <= 0 || (count < 0 && errno != EAGAIN) { shut(.requested) }
    }
}
