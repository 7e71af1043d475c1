import Dispatch
import Locks
import Platform

/// Writes each line to a descriptor with one `write(2)`, on a thread of its own.
///
/// Callers only append to a queue, so a reader that is slow, or does not read at all, costs them nothing. A line that
/// does not fit the queue is lost and counted; once there is room again, a line reports the number of lost lines.
package final class FileDescriptorLogSink: LogSink {
    private struct State {
        var queue: LogQueue
        var isClosed = false
        /// Signalled when the queue is empty and its last line is written.
        var flushes: [DispatchSemaphore] = []
    }

    private let descriptor: Int32
    /// Keeps the order of lines. No other lock is taken while this one is held.
    private let state: Locked<State>
    private let wakeUp = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - descriptor: the caller closes it, after ``close()``. SIGPIPE must be ignored.
    ///   - capacity: how many bytes may be queued.
    package init(descriptor: Int32, capacity: Int = 1 << 20) {
        self.descriptor = descriptor
        state = Locked(State(queue: LogQueue(capacity: capacity)))
    }

    /// Standard error. The first use calls ``StandardDescriptors/makeSafe()``. Its lines are flushed when the process exits.
    package static let standardError: FileDescriptorLogSink = {
        StandardDescriptors.makeSafe()
        atexit { FileDescriptorLogSink.standardError.flush() }
        return FileDescriptorLogSink(descriptor: 2)
    }()

    package var lostLines: Int { state.withLock { $0.queue.lostLines } }

    package func write(_ line: [UInt8], afterLoss notice: (_ lost: Int) -> [UInt8]) {
        switch state.withLock({ $0.isClosed ? .none : $0.queue.append(line, afterLoss: notice) }) {
        case .none: break
        case .wakeWriter: wakeUp.signal()
        case .startWriter:
            // Without a thread the caller writes. The next line tries to start one again.
            if startThread({ [self] in writeUntilClosed() }) {
                _ = wakeUp.signal()
                return
            }
            writeQueue()
            state.withLock { $0.queue.writerHasEnded() }
        }
    }

    /// Waits until all lines so far are written, but not for long: nobody may read them.
    package func flush(within timeout: Duration = .milliseconds(500)) {
        let flushed = DispatchSemaphore(value: 0)
        let isWaiting = state.withLock { state in
            if !state.queue.isIdle { state.flushes.append(flushed) }
            return !state.queue.isIdle
        }
        guard isWaiting else { return }
        _ = flushed.wait(timeout: .now() + .nanoseconds(Int(clamping: timeout.wholeNanoseconds)))
    }

    /// Discards what is queued and all later lines, and ends the thread. The descriptor may be closed afterwards.
    package func close() {
        let flushed = DispatchSemaphore(value: 0)
        let isWriting = state.withLock { state in
            state.isClosed = true
            if state.queue.isWriting { state.flushes.append(flushed) }
            return state.queue.isWriting
        }
        wakeUp.signal()
        if isWriting { flushed.wait() }
    }

    private func writeUntilClosed() {
        while !state.withLock({ $0.isClosed }) {
            wakeUp.wait()
            writeQueue()
        }
    }

    private func writeQueue() {
        var isWritten = true
        while true {
            let (line, flushes) = state.withLock { state in
                if !isWritten { state.queue.lose() }
                let line = state.queue.next(isClosed: state.isClosed)
                defer { if line == nil { state.flushes = [] } }
                return (line, line == nil ? state.flushes : [])
            }
            for flush in flushes { flush.signal() }
            guard let line else { return }
            isWritten = write(line)
        }
    }

    /// Writes a line, however long that takes. Returns false if the descriptor is broken or the sink was closed.
    private func write(_ line: [UInt8]) -> Bool {
        var rest = line[...]
        while !rest.isEmpty {
            var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            // Not without end, so that a closed sink is noticed. An error ends the wait too, and writing reports it.
            while descriptor >= 0 && poll(&request, 1, 100) == 0 {
                if state.withLock({ $0.isClosed }) { return false }
            }
            let count = writeOnce(rest, to: descriptor)
            if count < 0 && errno == EAGAIN { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

/// Writes with `write(2)` and returns its result. The type's own `write` hides the system call.
private func writeOnce(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Int {
    bytes.withUnsafeBytes { buffer in
        var count = -1
        repeat {
            count = write(descriptor, buffer.baseAddress, buffer.count)
        } while count < 0 && errno == EINTR
        return count
    }
}

/// The lines that wait for the thread that writes them.
package struct LogQueue: Sendable {
    package enum Action: Sendable, Hashable {
        case none
        case wakeWriter
        case startWriter
    }

    private enum Writer { case none, asleep, writing }

    private let capacity: Int
    private var lines: [[UInt8]] = []
    /// The index of the first line that is not taken.
    private var first = 0
    private var byteCount = 0
    private var writer = Writer.none
    /// How many lines were lost since the last line that reported it.
    private var unreported = 0
    /// How many lines were lost.
    package private(set) var lostLines = 0

    /// - Parameter capacity: how many bytes may be queued.
    package init(capacity: Int) { self.capacity = capacity }

    package var isWriting: Bool { writer == .writing }

    /// Whether every line is written.
    package var isIdle: Bool { first == lines.count && !isWriting }

    /// Adds a line, or counts it as lost if the queue is full.
    ///
    /// - Parameter notice: makes the line that reports lost ones, which is added before this one.
    package mutating func append(_ line: [UInt8], afterLoss notice: (_ lost: Int) -> [UInt8]) -> Action {
        // Half of the queue must be free before lines are taken again, so that they are not lost one by one.
        guard byteCount + line.count <= (unreported > 0 ? capacity / 2 : capacity) else {
            lose()
            return .none
        }
        if unreported > 0 { add(notice(unreported)) }
        unreported = 0
        add(line)
        defer { writer = .writing }
        return switch writer {
        case .none: .startWriter
        case .asleep: .wakeWriter
        case .writing: .none
        }
    }

    private mutating func add(_ line: [UInt8]) {
        lines.append(line)
        byteCount += line.count
    }

    /// A line could not be queued or written.
    package mutating func lose() {
        unreported += 1
        lostLines += 1
    }

    /// No thread writes. The next line starts one.
    package mutating func writerHasEnded() { if writer == .asleep { writer = .none } }

    /// The next line to write; nil if there is none, and then the writer sleeps.
    package mutating func next(isClosed: Bool = false) -> [UInt8]? {
        guard first < lines.count, !isClosed else {
            (lines, first, byteCount) = ([], 0, 0)
            writer = .asleep
            return nil
        }
        defer {
            byteCount -= lines[first].count
            lines[first] = []
            first += 1
            if first >= 64, first * 2 > lines.count {
                lines.removeFirst(first)
                first = 0
            }
        }
        return lines[first]
    }
}
