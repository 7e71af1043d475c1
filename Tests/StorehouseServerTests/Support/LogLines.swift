import Dispatch
import Locks
import Observability
import StorehouseServer

/// The lines that the server wrote to its log.
final class LogLines: LogSink {
    struct Missing: Error {
        let part: String
        let text: String
    }

    private struct Contents {
        var text = ""
        /// Whether nothing more can come.
        var isAtEnd = false
        var waiting: [Int: (part: String, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var waitingEver = 0
    }

    // Guards the text and the waiting tasks. No continuation is resumed while it is held.
    private let contents = Locked(Contents())

    var text: String { contents.withLock { $0.text } }

    func write(_ line: [UInt8], afterLoss notice: (_ lost: Int) -> [UInt8]) {
        let met = contents.withLock { contents in
            contents.text += String(decoding: line, as: UTF8.self)
            let met = contents.waiting.filter { contents.text.contains($1.part) }
            for id in met.keys { contents.waiting[id] = nil }
            return met.values.map(\.continuation)
        }
        for continuation in met { continuation.resume() }
    }

    /// The program that wrote the lines has ended.
    func end() {
        let (waiting, text) = contents.withLock { contents in
            contents.isAtEnd = true
            defer { contents.waiting = [:] }
            return (contents.waiting.values, contents.text)
        }
        for (part, continuation) in waiting { continuation.resume(throwing: Missing(part: part, text: text)) }
    }

    /// Waits until a line with that in it was written, and gives up in the end.
    func line(with part: String) async throws {
        try await withCheckedThrowingContinuation { continuation in
            let (id, known): (Int, Result<Void, Missing>?) = contents.withLock { contents in
                if contents.text.contains(part) { return (0, .success(())) }
                if contents.isAtEnd { return (0, .failure(Missing(part: part, text: contents.text))) }
                contents.waitingEver += 1
                contents.waiting[contents.waitingEver] = (part, continuation)
                return (contents.waitingEver, nil)
            }
            if let known { return continuation.resume(with: known) }
            DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(2 * Wire.waitTimeout)) { [self] in
                let (late, text) = contents.withLock { ($0.waiting.removeValue(forKey: id)?.continuation, $0.text) }
                late?.resume(throwing: Missing(part: part, text: text))
            }
        }
    }
}
