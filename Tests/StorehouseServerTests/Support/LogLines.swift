import Locks
import Observability
import StorehouseServer

/// What the server wrote to its log.
final class LogLines: LogSink {
    private struct Contents {
        var text = ""
        var waiting: [(part: String, resume: @Sendable () -> Void)] = []
    }

    // Guards the text and the waiting tasks. No continuation is resumed while it is held.
    private let contents = Locked(Contents())

    var text: String { contents.withLock { $0.text } }

    func write(_ line: [UInt8], afterLoss notice: (_ lost: Int) -> [UInt8]) {
        let line = String(decoding: line, as: UTF8.self)
        let met = contents.withLock { contents in
            contents.text += line
            let met = contents.waiting.filter { line.contains($0.part) }
            contents.waiting.removeAll { line.contains($0.part) }
            return met.map(\.resume)
        }
        for resume in met { resume() }
    }

    /// Waits until a line with that in it was written.
    func line(with part: String) async {
        await withCheckedContinuation { continuation in
            let isThere = contents.withLock { contents in
                if contents.text.contains(part) { return true }
                contents.waiting.append((part, { continuation.resume() }))
                return false
            }
            if isThere { continuation.resume() }
        }
    }
}
