import Locks
import Observability
import Platform

/// A pipe that a log writes into.
final class LogPipe: Sendable {
    private let reader: Int32
    private let writer: Int32
    // Closed before the descriptors, whose numbers another test may get.
    private let sinks = Locked<[FileDescriptorLogSink]>([])

    init() {
        var ends: [Int32] = [-1, -1]
        _ = pipe(&ends)
        (reader, writer) = (ends[0], ends[1])
        _ = fcntl(reader, F_SETFL, O_NONBLOCK)
    }

    deinit {
        for sink in sinks.withLock({ $0 }) { sink.close() }
        _ = close(reader)
        _ = close(writer)
    }

    func sink(capacity: Int = 1 << 20) -> FileDescriptorLogSink {
        let sink = FileDescriptorLogSink(descriptor: writer, capacity: capacity)
        sinks.withLock { $0.append(sink) }
        return sink
    }

    /// Waits for so many lines.
    func lines(_ count: Int) -> [String] {
        var text = ""
        while text.utf8.count(where: { $0 == UInt8(ascii: "\n") }) < count {
            var request = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
            _ = poll(&request, 1, 1000)
            text += contents()
        }
        return text.split(separator: "\n").map(String.init)
    }

    /// Everything that was written since the last time.
    func contents() -> String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = chunk.withUnsafeMutableBytes { read(reader, $0.baseAddress, $0.count) }
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += chunk.prefix(count)
        }
    }

    /// Leaves the number in use, so that no other test gets it: the reading end becomes another file.
    func closeReader() {
        let other = open("/dev/null", O_RDONLY)
        _ = dup2(other, reader)
        _ = close(other)
    }

    /// True where writing fails because nobody can ever read.
    var hasNoReader: Bool {
        write(writer, "x", 1) < 0 && errno == EPIPE
    }
}
