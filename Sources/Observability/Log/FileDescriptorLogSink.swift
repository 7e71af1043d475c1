import Locks
import Platform

/// Writes lines to a descriptor, each with one `write(2)`.
///
/// A reader that is gone or does not read must not stop the server. So a line waits at most `patience` for room, and
/// after one has waited in vain, none waits until there is room again. How many were lost is said when there is.
package final class FileDescriptorLogSink: LogSink {
    private struct State {
        var lost = 0
        /// True where the last line was written in part only.
        var isInsideLine = false
    }

    private let descriptor: Int32
    private let patience: Int32
    /// Keeps lines apart and in order. No other lock is taken inside.
    private let state = Locked(State())

    /// - Parameters:
    ///   - descriptor: stays the caller's to close. `SIGPIPE` must be ignored.
    ///   - patience: in milliseconds.
    package init(descriptor: Int32, patience: Int32 = 50) {
        self.descriptor = descriptor
        self.patience = patience
    }

    /// Standard error. From the first use on the standard descriptors are made safe.
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
            if !write(line, waiting: patience, &state) { state.lost += 1 }
        }
    }

    /// True where the whole line was written.
    private func write(_ line: [UInt8], waiting milliseconds: Int32, _ state: inout State) -> Bool {
        guard hasRoom(waiting: milliseconds) else { return false }
        let bytes = state.isInsideLine ? [UInt8(ascii: "\n")] + line : line
        let written = put(bytes, into: descriptor)
        if written > 0 { state.isInsideLine = written < bytes.count }
        return written == bytes.count
    }

    /// True also where the descriptor is broken: writing to it tells, and does not block.
    private func hasRoom(waiting milliseconds: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&request, 1, milliseconds) != 0
    }
}

/// How many bytes the system took; less than 0 for none. Outside of the type, whose own `write` hides the system's.
private func put(_ bytes: [UInt8], into descriptor: Int32) -> Int {
    bytes.withUnsafeBytes { buffer in
        var count = -1
        repeat {
            count = write(descriptor, buffer.baseAddress, buffer.count)
        } while count < 0 && errno == EINTR
        return count
    }
}
