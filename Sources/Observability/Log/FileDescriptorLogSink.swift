import Locks
import Platform

/// Writes each line to a descriptor with one `write(2)`.
///
/// A reader that is gone or does not read must not stop the server. A line waits for space for `writeTimeout` at most.
/// After a timeout no line waits until there is space again; then a line reports the number of lost lines.
package final class FileDescriptorLogSink: LogSink {
    private struct State {
        var lost = 0
        /// True if the last line was written in part.
        var isInsideLine = false
    }

    private let descriptor: Int32
    private let writeTimeout: Int32
    /// Keeps the order of lines. No other lock is taken while this one is held.
    private let state = Locked(State())

    /// - Parameters:
    ///   - descriptor: the caller closes it. SIGPIPE must be ignored.
    ///   - writeTimeout: the longest wait for space, in milliseconds.
    package init(descriptor: Int32, writeTimeout: Int32 = 50) {
        self.descriptor = descriptor
        self.writeTimeout = writeTimeout
    }

    /// Standard error. The first use calls ``StandardDescriptors/makeSafe()``.
    package static let standardError: FileDescriptorLogSink = {
        StandardDescriptors.makeSafe()
        return FileDescriptorLogSink(descriptor: 2)
    }()

    package func write(_ line: [UInt8], afterLoss notice: (_ lost: Int) -> [UInt8]) {
        state.withLock { state in
            if state.lost > 0 {
                guard write(notice(state.lost), waiting: 0, &state) else {
                    state.lost += 1
                    return
                }
                state.lost = 0
            }
            if !write(line, waiting: writeTimeout, &state) { state.lost += 1 }
        }
    }

    /// Returns true if the whole line was written.
    private func write(_ line: [UInt8], waiting milliseconds: Int32, _ state: inout State) -> Bool {
        guard hasSpace(waiting: milliseconds) else { return false }
        let bytes = state.isInsideLine ? [UInt8(ascii: "\n")] + line : line
        let written = writeOnce(bytes, to: descriptor)
        if written > 0 { state.isInsideLine = written < bytes.count }
        return written == bytes.count
    }

    /// Returns true if writing does not block, which includes a broken descriptor.
    private func hasSpace(waiting milliseconds: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&request, 1, milliseconds) != 0
    }
}

/// Writes with `write(2)` and returns its result. The type's own `write` hides the system call.
private func writeOnce(_ bytes: [UInt8], to descriptor: Int32) -> Int {
    bytes.withUnsafeBytes { buffer in
        var count = -1
        repeat {
            count = write(descriptor, buffer.baseAddress, buffer.count)
        } while count < 0 && errno == EINTR
        return count
    }
}
