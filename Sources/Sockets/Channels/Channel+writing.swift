package import Platform

extension Channel {
    /// Sends bytes. What the system does not accept at once stays pending, without a copy.
    ///
    /// Bytes that are written during a delegate's call, or between ``cork()`` and ``uncork()``, are sent in one system
    /// call. Bytes written after a close are discarded.
    package func write(_ bytes: [UInt8]) {
        guard state == .open, !bytes.isEmpty else { return }
        output.append(bytes)
        if interest.contains(.writable) {
            countPendingBytes()
        } else if corks == 0 {
            _ = send()
        }
    }

    /// Sends bytes in this turn of the loop, together with those of other channels: see ``EventLoop/uncorkLater(_:)``.
    package func writeSoon(_ bytes: [UInt8]) {
        // A carrier does that.
        guard corks == 0, state == .open, carrier == nil else { return write(bytes) }
        cork()
        write(bytes)
        loop.uncorkAfterWrite(self)
    }

    /// Collects writes until ``uncork()``. Calls nest.
    package func cork() {
        corks += 1
    }

    /// Sends the collected writes when the last cork is removed.
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

    /// Sends pending output, and notifies the delegate when all of it is sent.
    func flush() {
        let wasEmpty = output.isEmpty
        guard state == .open || state == .flushing, send() else { return }
        if state == .flushing {
            finish()
        } else if !wasEmpty {
            // Not corked, so that a delegate that writes more sees at once how much the system accepts.
            delegate?.channelDrained(self)
        }
    }

    /// Sends until nothing is pending or the system accepts no more.
    /// - Returns: whether nothing is pending.
    private func send() -> Bool {
        if let carrier {
            while !output.isEmpty { output.consume(output.withParts { carrier.send($0, on: self) }) }
            return true
        }
        var isTaken = !interest.contains(.writable)
        while !output.isEmpty {
            let (count, whole) = sendOnce()
            if count > 0 {
                output.consume(count)
                isTaken = true
            }
            if count < 0 && errno == EINTR { continue }
            if count < 0 && errno != EAGAIN {
                fail(errno)
                return false
            }
            if !whole {
                if isTaken { lastTakenAt = loop.now }
                setInterest(interest.union(.writable))
                countPendingBytes()
                return false
            }
        }
        setInterest(interest.subtracting(.writable))
        countPendingBytes()
        return true
    }

    /// Reports the memory of the pending bytes to the budget. Bytes that the system accepts at once are never counted.
    private func countPendingBytes() {
        let held = output.heldBytes
        guard countedBytes != held else { return }
        budgetStorage?.add(held - countedBytes)
        if isStream { budgetStorage?.addToStreams(held - countedBytes) }
        countedBytes = held
    }

    /// From now on the budget counts what is pending here as bytes of a stream too.
    package func countAsStream() {
        guard !isStream else { return }
        isStream = true
        budgetStorage?.addToStreams(countedBytes)
    }

    /// - Returns: the result of the system call, and whether it accepted all bytes it was given.
    private func sendOnce() -> (count: Int, whole: Bool) { Self.send(&output, to: descriptor) }

    /// - Parameter queue: is not changed. It is used in place, since a copy would retain its arrays.
    private static func send(_ queue: inout OutputQueue, to descriptor: Int32) -> (count: Int, whole: Bool) {
        queue.withParts { parts in
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
    /// Closes at once and discards pending output. The delegate is notified at the end of this turn.
    package func closeNow() {
        close(.requested)
    }

    /// Closes when all pending output is sent. Input is no longer delivered.
    ///
    /// There is no time limit for a peer that does not read: the owner must call ``closeNow()``.
    /// - Parameter linger: limits the input that is discarded so that the peer can read the response; nil closes right
    ///   after the last byte.
    package func closeAfterFlush(linger: Linger? = Linger()) {
        guard state == .open else { return }
        state = .flushing
        lingering = linger.map(Lingering.init)
        unconsumed = []
        setInterest(interest.subtracting(.readable))
        if output.isEmpty && corks == 0 { finish() }
    }

    /// All output is sent: shuts down sending, and lingers if the peer may still send.
    func finish() {
        guard let lingering, !inputEnded, carrier == nil else { return close(.requested) }
        state = .lingering
        SystemSocket.endOutput(descriptor)
        setInterest(.readable)
        waitForPeer(lingering, until: loop.now.advanced(by: lingering.limits.time))
    }

    private func waitForPeer(_ lingering: Lingering, until end: MonotonicInstant) {
        let rest = loop.now.duration(to: end)
        let endsWhenTaken = lingering.limits.endsWhenTaken
        lingering.timer = loop.schedule(after: endsWhenTaken ? min(rest, Linger.interval) : rest) { [self] in
            lingering.timer = nil
            if loop.now >= end || endsWhenTaken && SystemSocket.hasSentAll(descriptor) { return close(.requested) }
            waitForPeer(lingering, until: end)
        }
    }

    /// Closes because of an error.
    func fail(_ code: Int32) {
        switch code {
        case 0, ECONNRESET, EPIPE: close(.reset)
        default: close(.failed(code: code))
        }
    }

    /// Frees everything now. The delegate is notified at the end of the turn, when it is not inside a call to the
    /// channel.
    func close(_ reason: CloseReason) {
        guard state != .closed else { return }
        state = .closed
        if let timer = lingering?.timer { loop.cancel(timer) }
        lingering = nil
        if let carrier {
            carrier.closed(self)
        } else {
            loop.unwatch(descriptor)
            SystemSocket.close(descriptor)
        }
        unconsumed = []
        output.removeAll()
        countPendingBytes()
        loop.atEndOfTurn { [self] in
            let notified = delegate
            delegate = nil
            notified?.channelClosed(self, reason: reason)
        }
    }
}

/// Bytes to be sent, as arrays that are shared with their writers.
///
/// A single array, by far the most common case, needs no allocation.
package struct OutputQueue {
    /// The limit of arrays in one system call.
    private static var maxParts: Int { 32 }

    private var first: [UInt8] = []
    private var offset = 0
    private var others: [[UInt8]] = []
    /// The index of the first array of `others` that is not sent.
    private var next = 0
    /// The number of bytes in the queue.
    package private(set) var byteCount = 0

    package init() {}

    package var isEmpty: Bool { byteCount == 0 }

    /// The memory of the arrays in the queue. The first one counts as a whole until its last byte is sent.
    package var heldBytes: Int { byteCount == 0 ? 0 : byteCount + offset }

    package mutating func append(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        if byteCount == 0 { first = bytes } else { others.append(bytes) }
        byteCount += bytes.count
    }

    /// Removes bytes from the front after they were sent.
    package mutating func consume(_ count: Int) {
        var left = min(count, byteCount)
        byteCount -= left
        while left > 0 {
            let here = min(left, first.count - offset)
            left -= here
            offset += here
            if offset == first.count { advance() }
        }
    }

    /// Moves bytes from the front to a buffer, as many as it takes.
    ///
    /// - Returns: their count.
    package mutating func move(to buffer: UnsafeMutableRawBufferPointer) -> Int {
        var count = 0
        while byteCount > 0, count < buffer.count {
            let here = min(first.count - offset, buffer.count - count)
            first.withUnsafeBytes { bytes in
                guard let source = bytes.baseAddress, let target = buffer.baseAddress else { return }
                (target + count).copyMemory(from: source + offset, byteCount: here)
            }
            count += here
            consume(here)
        }
        return count
    }

    package mutating func removeAll() {
        self = OutputQueue()
    }

    /// Calls `body` with the first arrays, as many as one system call takes.
    package func withParts<Result>(_ body: (UnsafeMutableBufferPointer<iovec>) -> Result) -> Result {
        let count = min(others.count - next, Self.maxParts - 1) + 1
        guard count > 1 else {
            return first.withUnsafeBytes { bytes in
                var part = Self.part(UnsafeRawBufferPointer(rebasing: bytes[offset...]))
                return withUnsafeMutablePointer(to: &part) { body(UnsafeMutableBufferPointer(start: $0, count: 1)) }
            }
        }
        return withUnsafeTemporaryAllocation(of: iovec.self, capacity: count) { parts in
            first.withUnsafeBytes { bytes in
                parts[0] = Self.part(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(offset)))
                return fill(parts, from: 1, body)
            }
        }
    }

    /// Recursive, so that each array's pointer stays valid while it is used.
    private func fill<Result>(
        _ parts: UnsafeMutableBufferPointer<iovec>, from index: Int,
        _ body: (UnsafeMutableBufferPointer<iovec>) -> Result
    ) -> Result {
        guard index < parts.count else { return body(parts) }
        return others[next + index - 1].withUnsafeBytes { bytes in
            parts[index] = Self.part(bytes)
            return fill(parts, from: index + 1, body)
        }
    }

    private static func part(_ bytes: UnsafeRawBufferPointer) -> iovec {
        iovec(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: numericCast(bytes.count))
    }

    /// Moves on to the next array, and frees sent entries once they are half of the list.
    private mutating func advance() {
        offset = 0
        guard next < others.count else {
            first = []
            others = []
            next = 0
            return
        }
        swap(&first, &others[next])
        others[next] = []
        next += 1
        if next * 2 > others.count, next >= 16 || next == others.count {
            others.removeFirst(next)
            next = 0
        }
    }
}
